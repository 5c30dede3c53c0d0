import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, apiUrl, ask, type RouteTest, type RouteTestRequest } from '../../api/index.ts';
import { Message } from '../../parts/index.ts';
import { changeQuery, queryValue } from '../../router/index.ts';
import { Answer } from './answer.tsx';
import { Asker } from './asker.tsx';
import { readRequest, secretHeaders, type Unreadable, type WrittenRequest } from './curl-line.ts';
import { whyWords } from './words.ts';

/** What happens to a request, and why: a tester that takes what somebody has at hand. */
export function Page() {
  const words = whyWords();
  const linked = queryValue('u');
  const asked = useRef('');
  const text = useSignal(linked);
  const from = useSignal(queryValue('from'));
  const token = useSignal('');
  const fault = useSignal('');
  const written = useSignal<WrittenRequest | undefined>(undefined);
  const answer = useSignal<RouteTest | undefined>(undefined);
  const test = async (): Promise<void> => {
    const request = readRequest(text.value);
    answer.value = undefined;
    written.value = undefined;
    if ('fault' in request) {
      fault.value = faultText(request);
      return;
    }
    fault.value = '';
    written.value = request;
    asked.current = linkable(request);
    changeQuery({ u: asked.current, from: from.value.trim() });
    const asker = { from: from.value.trim(), token: token.value.trim() };
    try {
      const response = await ask(apiUrl('/v1/route-test'), { method: 'POST', body: questionOf(request, asker) });
      answer.value = (await response.json()) as RouteTest;
    } catch (error) {
      fault.value = error instanceof ApiError ? error.message : String(error);
    }
  };
  // A link asks by itself.
  useEffect(() => {
    if (linked === '' || linked === asked.current) return;
    text.value = linked;
    void test();
  }, [linked]);
  const { ignored = [], headers = [] } = written.value ?? {};
  const secret = headers.map(([name]) => name).filter((name) => secretHeaders.has(name.toLowerCase()));
  return (
    <>
      <h1>{words.title}</h1>
      <p class="quiet">{words.intro}</p>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          void test();
        }}
      >
        <label for="request">{words.label}</label>
        <textarea
          id="request"
          rows={2}
          spellcheck={false}
          aria-invalid={fault.value !== ''}
          aria-describedby="fault"
          placeholder="curl -H 'x-user: 1' https://shop.example.com/cart"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !text.value.endsWith('\\')) {
              event.preventDefault();
              void test();
            }
          }}
        />
        <button type="submit">{words.ask}</button>
        <Asker from={from} token={token} />
      </form>
      <p id="fault" class={fault.value === '' ? 'hidden' : 'notice failing'} role="alert">
        {fault.value !== '' && <Message>{fault.value}</Message>}
      </p>
      {ignored.length > 0 && <p class="quiet">{words.ignored(ignored.join(' '))}</p>}
      {secret.length > 0 && <p class="quiet">{words.withheld(secret.join(', '))}</p>}
      {answer.value && <Answer test={answer.value} />}
    </>
  );
}

function faultText({ fault, word }: Unreadable): string {
  const words = whyWords();
  return fault === 'empty' ? words.empty : words[fault](word);
}

/** A token in its field takes the place of one in the line: two of them are one too many for every gateway. */
function questionOf(
  { method, host, path, port, scheme, headers }: WrittenRequest,
  { from, token }: { readonly from: string; readonly token: string },
): RouteTestRequest {
  const byName = Map.groupBy(headers, ([name]) => name.toLowerCase());
  if (token !== '') byName.delete('authorization');
  return {
    host,
    path,
    method,
    ...(port !== undefined && { port }),
    ...(scheme !== undefined && { scheme }),
    ...(from !== '' && { from }),
    ...(token !== '' && { token }),
    ...(byName.size > 0 && {
      headers: Object.fromEntries([...byName].map(([name, all]) => [name, all.map(([, value]) => value)])),
    }),
  };
}

/** The request as a curl line without what says who somebody is. */
function linkable({ method, host, path, port, scheme, headers }: WrittenRequest): string {
  const url = `${scheme === undefined ? '' : `${scheme}://`}${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}${path}`;
  const shown = headers.filter(([name]) => !secretHeaders.has(name.toLowerCase()));
  if (method === 'GET' && shown.length === 0) return url;
  const options = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...shown.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
  ];
  return ['curl', ...options, quoted(url)].join(' ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
