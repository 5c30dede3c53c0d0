import test from 'ava';
import { kinds } from '../../../src/gateway-api/index.ts';
import { createOperator } from '../../../src/kube/index.ts';
import { type Answer, failure, object, page, ScriptedApi, watch } from './scripted-api.ts';

/** Answers by kind: whether XBackend is there is for the test to say; everything else is one object each. */
const byKind =
  (isInstalled: () => boolean): Answer =>
  (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://scripted');
    const answer =
      pathname.includes('xbackends') && !isInstalled() ? failure(404, 'NotFound') : listOrWatch(searchParams);
    answer(request, response);
  };

const listOrWatch = (query: URLSearchParams): Answer =>
  query.has('watch') ? watch([]) : page([object('a', '1')], '1');

test('a kind that is of no use without another is read once that one is installed, and empty before', async (t) => {
  let installed = false;
  await using api = await ScriptedApi.start(byKind(() => installed));
  const reported: string[] = [];
  const waiting = new Map<string, () => void>();
  const note = (line: string) => {
    reported.push(line);
    waiting.get(line)?.();
  };
  const heard = (line: string) =>
    reported.includes(line) ? undefined : new Promise<void>((resolve) => waiting.set(line, resolve));
  const operator = await createOperator({
    client: api.client,
    kubeConfig: api.kubeConfig,
    kinds: [kinds.Pod, kinds.XBackend],
    listener: {
      event: ({ type, kind }) => note(`${kind.name} ${type}`),
      synced: (kind) => note(`${kind.name} synced`),
      availability: (kind, available) => note(`${kind.name} ${available ? 'available' : 'missing'}`),
    },
    timing: { retryBaseMs: 1, retryMaxMs: 5, missingMaxMs: 5, idleMs: 60_000 },
  });
  const stopping = new AbortController();
  const running = operator.run(stopping.signal);
  await heard('Pod synced');
  t.deepEqual(reported, ['XBackend missing', 'XBackend synced', 'Pod synced']);
  t.true(operator.states().every(({ state }) => state === 'missing'));
  t.false(api.requests.some(({ pathname }) => pathname.includes('pods')));
  installed = true;
  await heard('Pod added');
  t.is(reported.filter((line) => line === 'Pod synced').length, 1);
  stopping.abort();
  await running;
});
