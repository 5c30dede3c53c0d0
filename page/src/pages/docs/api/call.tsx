import { apiUrl, asksToken, token } from '../../../api/index.ts';
import { Code, Panel } from '../../../parts/index.ts';
import { CopyButton } from './copy-button.tsx';
import { curlLine, type Values } from './curl.ts';
import { answerOf, contentOf, type Operation } from './reference.ts';
import { TryIt } from './try-it.tsx';
import { apiWords } from './words.ts';

/** The line for a shell, and for what only reads a form that asks at once. */
export function Call({ operation, values }: { readonly operation: Operation; readonly values: Values }) {
  const words = apiWords();
  const { requestBody, servers } = operation;
  const media = contentOf(answerOf(operation)).media[0] ?? '';
  const isStream = media === 'text/event-stream';
  const isElsewhere = servers !== undefined;
  const line = curlLine(operation, {
    base: servers?.[0]?.url ?? here(),
    values,
    hasToken: token.value !== '' || asksToken.value !== 'no',
    body: requestBody && contentOf(requestBody.content).example,
    isStream,
  });
  const why = isElsewhere ? words.elsewhere : isStream ? words.stream : operation.method === 'get' ? '' : words.writes;
  return (
    <Panel title={words.call} actions={<CopyButton text={line} />}>
      <Code text={line} label={words.asCurl} />
      {line.includes('$TOKEN') && <p class="quiet">{words.token}</p>}
      {why === '' ? <TryIt operation={operation} values={values} /> : <p class="quiet">{why}</p>}
    </Panel>
  );
}

/** Where this page asks, without a slash at its end. */
const here = (): string => new URL(apiUrl('/'), window.location.href).href.replace(/[#?].*$/, '').replace(/\/$/, '');
