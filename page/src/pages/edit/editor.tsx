import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, apiUrl, get, type ManagedResource } from '../../api/index.ts';
import { Panel } from '../../parts/index.ts';
import { who } from '../../session/index.ts';
import { CodeEditor } from './code-editor.ts';
import { complete } from './completion.ts';
import { Differences } from './differences.tsx';
import { hasSecret, headOf, onVersion, textOf } from './documents.ts';
import { forgetDraft, keepDraft } from './drafts.ts';
import { judge, judged } from './judge.ts';
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
  useEffect(() => {
    if (host.current === null) return undefined;
    const opened = new CodeEditor({
      parent: host.current,
      text: text.value,
      label: words.label,
      judge,
      complete,
      onChange(next) {
        text.value = next;
        applied.value = [];
        failure.value = undefined;
        keepDraft(place, next);
      },
    });
    editor.current = opened;
    return () => {
      opened.close();
      judged.value = undefined;
    };
  }, []);
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
  const onNewest = async (): Promise<string | undefined> => {
    const newest = await newestOf(text.peek());
    if (newest === undefined) return undefined;
    const done = applied.peek();
    editor.current?.set(onVersion(text.peek(), newest.version));
    applied.value = done;
    if (done.length > 0) forgetDraft(place);
    return newest.text;
  };
  const merge = (): Promise<void> => run(async () => editor.current?.compareWith(await onNewest()));
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
              editor.current?.set(original);
              forgetDraft(place);
            }}
          >
            {words.discard}
          </button>
        </p>
      )}
      <div class="editor" ref={host} />
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
