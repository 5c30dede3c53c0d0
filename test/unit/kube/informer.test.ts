import test, { type ExecutionContext } from 'ava';
import { type Kind, kinds } from '../../../src/gateway-api/index.ts';
import { Informer, type InformerHandler, type InformerTiming, KubeError } from '../../../src/kube/index.ts';
import { type Answer, failure, object, page, ScriptedApi, watch } from './scripted-api.ts';

const timing: Partial<InformerTiming> = { retryBaseMs: 1, retryMaxMs: 5, missingMaxMs: 5, idleMs: 60_000 };

/** Runs an informer over the answers until the log has a line, and gives the log. */
async function follow(
  t: ExecutionContext,
  answers: readonly Answer[],
  last: string,
  more: Partial<InformerTiming> = {},
  kind: Kind = kinds.HTTPRoute,
) {
  const api = await ScriptedApi.start(...answers);
  const stopping = new AbortController();
  const log: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = setTimeout(() => reject(new Error(`never "${last}":\n${log.join('\n')}`)), 100_000);
  const note = (line: string) => {
    log.push(line);
    if (line === last) resolve();
  };
  const reported = (what: string) => (reported: { metadata: { name: string; resourceVersion?: string } }) =>
    note(`${what} ${reported.metadata.name} ${reported.metadata.resourceVersion}`);
  const handler: InformerHandler = {
    added: reported('added'),
    modified: reported('modified'),
    deleted: reported('deleted'),
    synced: () => note('synced'),
    available: (available) => note(available ? 'available' : 'missing'),
  };
  const waits: number[] = [];
  const informer = new Informer({
    client: api.client,
    kind,
    handler,
    hooks: {
      restarted: (_, reason, waitMs) => {
        waits.push(waitMs);
        note(`restarted: ${reason}`);
      },
    },
    timing: { ...timing, ...more },
  });
  const running = informer.run(stopping.signal);
  try {
    await Promise.race([promise, running]);
    stopping.abort();
    await running;
    t.is(informer.state, 'stopped');
  } finally {
    clearTimeout(late);
    stopping.abort();
    await api[Symbol.asyncDispose]();
  }
  return { log, requests: api.requests, waits };
}

test('lists page by page, then watches from the list on, with bookmarks', async (t) => {
  const { log, requests } = await follow(
    t,
    [
      page([object('a', '1')], '7', 'token'),
      page([object('b', '2')], '7'),
      watch([
        { type: 'MODIFIED', object: object('a', '8') },
        { type: 'DELETED', object: object('b', '9') },
        { type: 'ADDED', object: object('c', '10') },
      ]),
    ],
    'added c 10',
  );
  t.deepEqual(log, ['added a 1', 'added b 2', 'synced', 'modified a 8', 'deleted b 9', 'added c 10']);
  t.is(requests[0]?.pathname, '/apis/gateway.networking.k8s.io/v1/httproutes');
  t.is(requests[0]?.searchParams.get('limit'), '500');
  t.is(requests[1]?.searchParams.get('continue'), 'token');
  t.is(requests[2]?.searchParams.get('resourceVersion'), '7');
  t.is(requests[2]?.searchParams.get('allowWatchBookmarks'), 'true');
});

test('a watch that ends goes on from the last version, a bookmark counts', async (t) => {
  const bookmark = { type: 'BOOKMARK', object: { kind: 'HTTPRoute', metadata: { resourceVersion: '42' } } };
  const { log, requests } = await follow(
    t,
    [page([], '7'), watch([bookmark], 'end'), watch([{ type: 'ADDED', object: object('a', '43') }])],
    'added a 43',
  );
  t.deepEqual(log, ['synced', 'added a 43']);
  t.is(requests[2]?.searchParams.get('resourceVersion'), '42');
});

const compares = test.macro(async (t, gone: Answer) => {
  const { log, requests } = await follow(
    t,
    [
      page([object('kept', '1'), object('changed', '2'), object('removed', '3'), object('replaced', '4')], '7'),
      gone,
      page(
        [object('kept', '1'), object('changed', '8'), object('replaced', '9', 'another uid'), object('new', '10')],
        '11',
      ),
      watch([{ type: 'MODIFIED', object: object('kept', '12') }]),
    ],
    'modified kept 12',
  );
  t.deepEqual(log.slice(log.indexOf('restarted: expired')), [
    'restarted: expired',
    'modified changed 8',
    'deleted replaced 4',
    'added replaced 9',
    'added new 10',
    'deleted removed 3',
    'modified kept 12',
  ]);
  t.is(requests[3]?.searchParams.get('resourceVersion'), '11');
});

test('410 as the answer to a watch: lists again and reports the difference', compares, failure(410, 'Expired'));
test(
  '410 as an event of a watch: the same',
  compares,
  watch([
    { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Gone', message: 'too old resource version' } },
  ]),
);
test(
  'a version from the future, as after a restored backup: the same',
  compares,
  failure(504, 'Timeout', {
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
  }),
);

test('a continue token that expires while paging: the whole list in a single page', async (t) => {
  const { log, requests } = await follow(
    t,
    [
      page([object('a', '1')], '7', 'token'),
      failure(410, 'Expired'),
      page([object('a', '1'), object('b', '2')], '9'),
      watch([]),
    ],
    'synced',
  );
  t.deepEqual(log, ['added a 1', 'added b 2', 'synced']);
  t.is(requests[2]?.searchParams.get('limit'), null);
});

test('429 is waited out for as long as the server asks', async (t) => {
  const { log, waits } = await follow(
    t,
    [failure(429, 'TooManyRequests', {}, { 'retry-after': '1' }), page([], '7'), watch([])],
    'synced',
  );
  t.deepEqual(log, ['restarted: throttled', 'synced']);
  t.true((waits[0] ?? 0) >= 1_000);
});

test('a broken connection goes on from the last version, with no new list', async (t) => {
  const { log, requests } = await follow(
    t,
    [
      page([object('a', '1')], '7'),
      watch([{ type: 'MODIFIED', object: object('a', '8') }], 'cut'),
      watch([{ type: 'DELETED', object: object('a', '9') }]),
    ],
    'deleted a 9',
  );
  t.deepEqual(log, ['added a 1', 'synced', 'modified a 8', 'restarted: unreachable', 'deleted a 9']);
  t.deepEqual(
    requests.map((url) => url.searchParams.get('resourceVersion')),
    [null, '7', '8'],
  );
});

test('a silent watch is given up', async (t) => {
  const { log } = await follow(
    t,
    [page([], '7'), watch([]), watch([{ type: 'ADDED', object: object('a', '8') }])],
    'added a 8',
    { idleMs: 50 },
  );
  t.deepEqual(log.slice(0, 2), ['synced', 'restarted: timeout']);
});

test('a server that ends every watch at once is not asked without end', async (t) => {
  const { log, waits } = await follow(
    t,
    [page([], '7'), watch([], 'end'), watch([], 'end'), watch([{ type: 'ADDED', object: object('a', '8') }])],
    'added a 8',
    { shortMs: 600_000 },
  );
  t.deepEqual(log, ['synced', 'restarted: ended', 'restarted: ended', 'added a 8']);
  t.is(waits.length, 2);
});

test('a line that is not JSON: lists again', async (t) => {
  const garbage: Answer = (_, response) => response.writeHead(200).write('{"type":"ADD\n');
  const { log } = await follow(t, [page([], '7'), garbage, page([object('a', '8')], '9'), watch([])], 'added a 8');
  t.deepEqual(log, ['synced', 'restarted: malformed', 'added a 8']);
});

test('a kind that is not served counts as synced, and comes alive', async (t) => {
  const { log } = await follow(
    t,
    [
      failure(404, 'NotFound'),
      failure(404, 'NotFound'),
      page([object('a', '1')], '7'),
      watch([{ type: 'ADDED', object: object('b', '8') }]),
    ],
    'added b 8',
  );
  t.deepEqual(log, ['missing', 'synced', 'added a 1', 'available', 'added b 8']);
});

test('a kind with former versions is read in the first that is served, also when that becomes another', async (t) => {
  const answers = [
    failure(404, 'NotFound'),
    page([object('a', '1')], '7'),
    watch([], 'end'),
    failure(404, 'NotFound'),
    page([object('a', '1'), object('b', '8')], '9'),
    watch([]),
  ];
  const { log, requests } = await follow(t, answers, 'added b 8', { shortMs: 0 }, kinds.ReferenceGrant);
  t.deepEqual(log, ['added a 1', 'synced', 'added b 8']);
  const asked = requests.map(({ pathname }) => pathname.split('/')[3]);
  t.deepEqual(asked.slice(0, 5), ['v1', 'v1beta1', 'v1beta1', 'v1beta1', 'v1']);
});

test('a kind that is served in no version is missing once', async (t) => {
  const answers = [
    ...Array.from({ length: 4 }, () => failure(404, 'NotFound')),
    page([object('a', '1')], '7'),
    watch([]),
  ];
  const { log } = await follow(t, answers, 'available', {}, kinds.ReferenceGrant);
  t.deepEqual(log, ['missing', 'synced', 'added a 1', 'available']);
});

test('one 404 with objects known takes nothing away; 404s that stay do', async (t) => {
  const blip = await follow(
    t,
    [
      page([object('a', '1')], '7'),
      failure(404, 'NotFound'),
      page([object('a', '1')], '7'),
      watch([{ type: 'MODIFIED', object: object('a', '8') }]),
    ],
    'modified a 8',
  );
  t.deepEqual(blip.log, ['added a 1', 'synced', 'restarted: not-found', 'modified a 8']);
  const gone = await follow(t, [page([object('a', '1')], '7'), failure(404, 'NotFound')], 'missing');
  t.deepEqual(gone.log.slice(-2), ['deleted a 1', 'missing']);
});

test('policies of access that were known stay while their kind is not served, and those that went meanwhile go then', async (t) => {
  const answers = [
    page([object('a', '1'), object('b', '1')], '7'),
    ...Array.from({ length: 6 }, () => failure(404, 'NotFound')),
    page([object('b', '1')], '9'),
    watch([{ type: 'MODIFIED', object: object('b', '10') }]),
  ];
  const { log } = await follow(t, answers, 'modified b 10', {}, kinds.AccessPolicy);
  const lines = log.filter((line) => !line.startsWith('restarted'));
  t.deepEqual(lines, ['added a 1', 'added b 1', 'synced', 'missing', 'deleted a 1', 'available', 'modified b 10']);
});

test('missing permission before the first list is an error that names verb and kind', async (t) => {
  const forbidden = failure(403, 'Forbidden', {
    message: 'httproutes is forbidden: User "u" cannot list resource "httproutes"',
  });
  const error = await t.throwsAsync(follow(t, [forbidden], 'never'), { instanceOf: KubeError });
  t.like(error, { code: 'forbidden', status: 403, reason: 'Forbidden' });
  t.regex(String(error?.message), /cannot list resource "httproutes"/);
});

test('permission to list but not to watch is an error, too', async (t) => {
  const error = await t.throwsAsync(follow(t, [page([], '7'), failure(403, 'Forbidden')], 'never'), {
    instanceOf: KubeError,
  });
  t.is((error as KubeError).code, 'forbidden');
});

test('missing permission later is waited out', async (t) => {
  const { log } = await follow(
    t,
    [page([], '7'), watch([], 'cut'), failure(403, 'Forbidden'), watch([{ type: 'ADDED', object: object('a', '8') }])],
    'added a 8',
  );
  t.deepEqual(log, ['synced', 'restarted: unreachable', 'restarted: forbidden', 'added a 8']);
});
