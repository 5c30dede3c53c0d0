import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, apiUrl, get, type ManagedResource } from '../../api/index.ts';
import { Panel } from '../../parts/index.ts';
import { who } from '../../session/index.ts';
import type { CodeEditor } from './code-editor.ts';
import { complete } from './completion.ts';
import { Differences } from './differences.tsx';
import { headOf, onVersion, textOf } from './documents.ts';
import { baseOf, forgetDraft, keepDraft } from './drafts.ts';
import { hasSecret } from './has-secret.ts';
import { judge, judged, judgeRestMs } from './judge.ts';
import type { Merge } from './merge.ts';
import { MergeReport } from './merge-report.tsx';
import { Rejected } from './rejected.tsx';
import { Report } from './report.tsx';
import { editWords } from './words.ts';
import { type Tried, tryOut, write } from './writing.ts';

interface EditorProps {
  /** Under which its draft is kept. */
  readonly place: string;
  readonly original: string;
  readonly draft: string | null;
}

/** A text, what the control plane says of it, and the way to apply it: first what changes, then a dry run, then the write. */
export function Editor({ place, original, draft }: EditorProps) {
  const words = editWords();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor>(undefined);
  const text = useSignal(draft ?? original);
  const tried = useSignal<Tried | undefined>(undefined);
  const applied = useSignal<readonly string[]>([]);
  const failure = useSignal<ApiError | undefined>(undefined);
  const isBusy = useSignal(false);
  const merged = useSignal<Merge | undefined>(undefined);
  /** What the text is a change of. */
  const base = useRef(draft === null ? original : (baseOf(place) ?? original));
  const isLoaded = useSignal(false);
  const changed = (next: string): void => {
    text.value = next;
    applied.value = [];
    failure.value = undefined;
    keepDraft(place, next, base.current);
  };
  /** Puts a text in place of the present one. */
  const put = (next: string): void => (editor.current === undefined ? changed(next) : editor.current.set(next));
  useEffect(() => {
    let isOpen = true;
    // The text can be read and changed before its editor is there, and without it.
    import('./code-editor.ts').then(
      ({ CodeEditor }) => {
        if (!isOpen || host.current === null) return;
        const isFocused = document.activeElement?.classList.contains('plain') === true;
        editor.current = new CodeEditor({
          parent: host.current,
          text: text.peek(),
          label: words.label,
          judge,
          complete,
          onChange: changed,
        });
        isLoaded.value = true;
        if (isFocused) editor.current.focus();
      },
      () => undefined,
    );
    return () => {
      isOpen = false;
      editor.current?.close();
      judged.value = undefined;
    };
  }, []);
  useSignalEffect(() => {
    const present = text.value;
    if (isLoaded.value) return undefined;
    const isTyped = present !== (draft ?? original);
    const timer = setTimeout(() => void judge(present), isTyped ? judgeRestMs : 0);
    return () => clearTimeout(timer);
  });
  const run = async (work: () => Promise<void>): Promise<void> => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  const compare = (): Promise<void> =>
    run(async () => {
      tried.value = await tryOut(text.peek());
      failure.value = tried.value.error;
    });
  const apply = (force: boolean): Promise<void> =>
    run(async () => {
      applied.value = await write(text.peek(), force);
      tried.value = undefined;
      forgetDraft(place);
      await onNewest();
    });
  /** What was written is a version of its own. */
  const onNewest = async (): Promise<void> => {
    merged.value = undefined;
    editor.current?.compareWith(undefined);
    const newest = await newestOf(text.peek());
    if (newest === undefined) return;
    base.current = newest.text;
    const done = applied.peek();
    put(onVersion(text.peek(), newest.version));
    applied.value = done;
    forgetDraft(place);
  };
  /** Puts what others changed since, and what was changed here, into one text. */
  const merge = (): Promise<void> =>
    run(async () => {
      const newest = await newestOf(text.peek());
      if (newest === undefined) return;
      const { mergeTexts } = await import('./merge.ts');
      const found = mergeTexts({ base: base.current, mine: text.peek(), theirs: newest.text, version: newest.version });
      base.current = newest.text;
      put(found.text);
      merged.value = found;
      editor.current?.compareWith(newest.text);
    });
  const shown = tried.value?.text === text.value ? tried.value : undefined;
  const isSecret = hasSecret(text.value);
  const { mode, directory } = who.value ?? {};
  return (
    <>
      {isSecret && <p class="notice failing">{words.secret}</p>}
      {draft !== null && draft !== original && text.value !== original && (
        <p class="notice warning">
          {words.draft}{' '}
          <button
            type="button"
            onClick={() => {
              base.current = original;
              put(original);
              forgetDraft(place);
            }}
          >
            {words.discard}
          </button>
        </p>
      )}
      {!isLoaded.value && (
        <textarea
          class="plain"
          aria-label={words.label}
          spellcheck={false}
          value={text.value}
          onInput={(event) => changed(event.currentTarget.value)}
        />
      )}
      <div class="editor" ref={host} />
      {merged.value && <MergeReport merge={merged.value} />}
      <Report text={text.value} />
      <p class="quiet">{mode === 'directory' ? words.file(directory ?? '') : words.cluster}</p>
      <div class="tools">
        <button type="button" class="compare" disabled={isBusy.value || isSecret} onClick={compare}>
          {words.changes}
        </button>
        <button
          type="submit"
          class="apply"
          disabled={isBusy.value || isSecret || shown === undefined || shown.error !== undefined}
          onClick={() => apply(false)}
        >
          {words.apply}
        </button>
        <span class="quiet" role="status">
          {applied.value.length > 0
            ? words.applied(applied.value.join(', '))
            : shown === undefined
              ? words.changesHint
              : shown.error === undefined && words.trial}
        </span>
      </div>
      {failure.value && (
        <Rejected error={failure.value} name={headOf(text.value).name} onForce={() => apply(true)} onMerge={merge} />
      )}
      {shown && (
        <Panel title={words.changes}>
          <Differences diff={shown.diff} />
        </Panel>
      )}
    </>
  );
}

async function newestOf(text: string): Promise<{ readonly text: string; readonly version: string } | undefined> {
  const { kind, namespace, name } = headOf(text);
  if (!/^\s*resourceVersion:/m.test(text)) return undefined;
  const path = [kind.toLowerCase(), namespace === '' ? '_cluster' : namespace, name].map(encodeURIComponent).join('/');
  const newest = await get<ManagedResource>(apiUrl(`/v1/resources/${path}`));
  const { resourceVersion } = newest.resource.metadata as { readonly resourceVersion?: string };
  return resourceVersion === undefined ? undefined : { text: textOf(newest), version: resourceVersion };
}
