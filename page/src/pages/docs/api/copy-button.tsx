import { useSignal } from '@preact/signals';
import { apiWords } from './words.ts';

/** Milliseconds for which it says that it has copied. */
const saysMs = 3_000;

export function CopyButton({ text }: { readonly text: string }) {
  const words = apiWords();
  const note = useSignal<'' | 'copied' | 'notCopied'>('');
  const copy = async (): Promise<void> => {
    note.value = await navigator.clipboard.writeText(text).then(
      () => 'copied' as const,
      () => 'notCopied' as const,
    );
    setTimeout(() => {
      note.value = '';
    }, saysMs);
  };
  // Browsers have no clipboard over plain HTTP by an address other than loopback.
  if (navigator.clipboard === undefined) return null;
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {words.copy}
      </button>
      <span class="quiet" role="status">
        {note.value !== '' && words[note.value]}
      </span>
    </>
  );
}
