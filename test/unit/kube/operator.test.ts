import test from 'ava';
import { type Kind, kinds } from '../../../src/gateway-api/index.ts';
import { createOperator } from '../../../src/kube/index.ts';
import { until } from '../../support/until.ts';
import { type Answer, failure, object, page, ScriptedApi, watch } from './scripted-api.ts';

/** Answers by kind: whether kinds with Pods are there is for the test to say; everything else is one object each. */
const byKind =
  (isInstalled: (plural: string) => boolean): Answer =>
  (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://scripted');
    const plural = ['xbackends', 'inferencepools'].find((name) => pathname.includes(name));
    const answer = plural && !isInstalled(plural) ? failure(404, 'NotFound') : listOrWatch(searchParams);
    answer(request, response);
  };

const listOrWatch = (query: URLSearchParams): Answer =>
  query.has('watch') ? watch([]) : page([object('a', '1')], '1');

const readsOnceInstalled = test.macro(async (t, others: readonly Kind[], last: string) => {
  let installed = '';
  await using api = await ScriptedApi.start(byKind((plural) => plural === installed));
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
    kinds: [kinds.Pod, ...others],
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
  t.deepEqual(reported.slice(-1), ['Pod synced']);
  t.is(reported.length, 2 * others.length + 1, 'the others are missing, and synced');
  // One that is asked for again meanwhile is `listing`, and soon missing again.
  await until('all of them to be missing', () => operator.states().every(({ state }) => state === 'missing'));
  t.false(api.requests.some(({ pathname }) => pathname.includes('pods')));
  installed = last;
  await heard('Pod added');
  t.is(reported.filter((line) => line === 'Pod synced').length, 1);
  stopping.abort();
  await running;
});

test(
  'a kind that is of no use without another is read once that one is installed, and empty before',
  readsOnceInstalled,
  [kinds.XBackend],
  'xbackends',
);
test(
  'a kind that is of use with either of two is read once one of them is installed, and empty before',
  readsOnceInstalled,
  [kinds.XBackend, kinds.InferencePool],
  'inferencepools',
);
