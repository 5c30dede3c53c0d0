import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError, apiUrl, get, type ManagedResource } from '../../api/index.ts';
import { Name } from '../../parts/index.ts';
import { place } from '../../router/index.ts';
import { mayWrite, who } from '../../session/index.ts';
import { firstText, textOf } from './documents.ts';
import { draftOf } from './drafts.ts';
import { Editor } from './editor.tsx';
import { editWords } from './words.ts';

/** The editor of an object, or of a new one: `#/edit/KIND/NAMESPACE/NAME`, `#/edit`. */
export function Page() {
  const words = editWords();
  if (who.value === undefined) return null;
  if (!mayWrite.value)
    return (
      <div class="empty">
        <h1>{words.title}</h1>
        <p>{words.readOnly}</p>
        <p class="quiet">{words.readOnlyWhy}</p>
      </div>
    );
  const { segments } = place.value;
  const key = segments.join('/');
  return <Opened key={key} segments={segments} draftKey={key === '' ? 'new' : key} />;
}

interface Opening {
  readonly text: string;
  readonly isMissing: boolean;
}

/** Reads the object once: what others change meanwhile is said when it is applied. */
function Opened({ segments, draftKey }: { readonly segments: readonly string[]; readonly draftKey: string }) {
  const words = editWords();
  const opening = useSignal<Opening | undefined>(undefined);
  const error = useSignal('');
  useEffect(() => {
    const [kind, namespace, name] = segments;
    if (kind === undefined || namespace === undefined || name === undefined) {
      opening.value = { text: firstText, isMissing: false };
      return;
    }
    read(kind, namespace, name).then(
      (found) => {
        opening.value = found;
      },
      (failure: unknown) => {
        error.value = failure instanceof Error ? failure.message : String(failure);
      },
    );
  }, []);
  return (
    <>
      <h1>
        {words.title} {segments.length > 0 && <Name>{segments.join('/')}</Name>}
      </h1>
      {error.value !== '' && (
        <p class="notice failing" role="alert">
          {error.value}
        </p>
      )}
      {opening.value?.isMissing && <p class="notice warning">{words.gone}</p>}
      {opening.value && <Editor place={draftKey} original={opening.value.text} draft={draftOf(draftKey)} />}
    </>
  );
}

async function read(kind: string, namespace: string, name: string): Promise<Opening> {
  const at = namespace === '' ? '_cluster' : namespace;
  const path = `/v1/resources/${encodeURIComponent(kind.toLowerCase())}/${encodeURIComponent(at)}/${encodeURIComponent(name)}`;
  try {
    return { text: textOf(await get<ManagedResource>(apiUrl(path))), isMissing: false };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return {
      text: firstText.replace('HTTPRoute', kind).replace('my-route', name).replace('default', at),
      isMissing: true,
    };
  }
}
