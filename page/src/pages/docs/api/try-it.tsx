import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError, apiUrl } from '../../../api/index.ts';
import { Badge, Code, Message } from '../../../parts/index.ts';
import { count } from '../../../text/index.ts';
import { pathWith, type Values } from './curl.ts';
import { formId } from './parameters.tsx';
import { type Answered, mostBytes, readOnce } from './read-once.ts';
import type { Operation } from './reference.ts';
import { apiWords } from './words.ts';

/** What the control plane answers now to the values of the parameters. Nothing is asked before the button is pressed. */
export function TryIt({ operation, values }: { readonly operation: Operation; readonly values: Values }) {
  const words = apiWords();
  const answered = useSignal<Answered | string | undefined>(undefined);
  const isAsking = useSignal(false);
  const abort = useRef<AbortController | undefined>(undefined);
  const path = pathWith(operation, values);
  // Before the next event: after the paint, it would take back what Enter has asked right behind the last letter.
  useLayoutEffect(() => {
    // An answer to other values would look like one to these.
    answered.value = undefined;
    isAsking.value = false;
    return () => abort.current?.abort();
  }, [path]);
  const send = async (): Promise<void> => {
    abort.current?.abort();
    const mine = new AbortController();
    abort.current = mine;
    isAsking.value = true;
    try {
      answered.value = await readOnce(apiUrl(path), mine.signal);
    } catch (error) {
      if (mine.signal.aborted) return;
      answered.value = error instanceof ApiError ? error.message : String(error);
    }
    isAsking.value = false;
  };
  return (
    <form
      id={formId}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p>
        <button type="submit">{isAsking.value ? words.sending : words.send}</button>{' '}
        <span class="quiet">{words.sendHint}</span>
      </p>
      {typeof answered.value === 'object' && <Shown answered={answered.value} />}
      {typeof answered.value === 'string' && (
        <p class="notice failing" role="alert">
          <Message>{answered.value}</Message>
        </p>
      )}
    </form>
  );
}

function Shown({ answered: { status, ms, bytes, isCut, total, text } }: { readonly answered: Answered }) {
  const words = apiWords();
  return (
    <div class="answered" data-status={status}>
      <p role="status">
        <Badge state={status < 400 ? 'ok' : 'failing'}>{words.got(String(status), count(Math.round(ms)), bytes)}</Badge>{' '}
        {[...(total === undefined ? [] : [words.ofAll(total)]), ...(isCut ? [words.cut(count(mostBytes))] : [])].join(
          ' ',
        )}
      </p>
      {text === '' ? <p class="quiet">{words.emptyAnswer}</p> : <Code text={text} label={words.answer} />}
    </div>
  );
}
