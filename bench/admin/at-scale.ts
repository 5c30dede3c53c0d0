/**
 * What a page of the admin API costs with 20,000 routes on one Gateway and two Services: the whole lists, and the lighter forms of the same.
 *
 *     node bench/admin/at-scale.ts [--routes 20000] [--turns 9]
 *
 * For each request one line of JSON: status, bytes on the wire, milliseconds until the whole answer is there (median and worst of the turns), CPU
 * of one answer, and the longest that the event loop was held meanwhile, in milliseconds of the processor. `gzip` accepts it; `again` sends the ETag back. It ends with ratios of
 * the light forms to the whole ones.
 */
import http from 'node:http';
import { parseArgs } from 'node:util';
import { startAdmin } from '../../test/support/admin.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../../test/support/objects.ts';

const { values: options } = parseArgs({
  options: { routes: { type: 'string', default: '20000' }, turns: { type: 'string', default: '9' } },
});
const routes = Number(options.routes);
const turns = Number(options.turns);

const objects = [
  gatewayClass(),
  gateway('edge'),
  ...['one', 'two'].flatMap((name, at) => [service(name), endpointSlice(name, [`10.0.0.${at + 1}`])]),
  ...Array.from({ length: routes }, (_, index) =>
    httpRoute(
      `r${index}`,
      {
        hostnames: [`r${index}.example.com`],
        rules: [{ backendRefs: [{ name: index % 2 === 0 ? 'one' : 'two', port: 80 }] }],
      },
      { namespace: 'default' },
    ),
  ),
];

type Way = 'plain' | 'gzip' | 'again';

interface Asked {
  readonly path: string;
  readonly way?: Way;
}

/** A light form, and the whole one that a page would ask for without it. */
const pairs: readonly (readonly [light: Asked, whole: Asked])[] = [
  [{ path: '/v1/routes?view=columns' }, { path: '/v1/routes' }],
  [{ path: '/v1/routes?view=columns', way: 'gzip' }, { path: '/v1/routes' }],
  [{ path: '/v1/routes', way: 'gzip' }, { path: '/v1/routes' }],
  [{ path: '/v1/routes', way: 'again' }, { path: '/v1/routes' }],
  [{ path: '/v1/routes?q=r1999&limit=50' }, { path: '/v1/routes' }],
  [{ path: '/v1/listeners?view=light' }, { path: '/v1/listeners' }],
  [{ path: '/v1/backends?view=light' }, { path: '/v1/backends' }],
  [
    { path: '/v1/topology?focus=gateway/default/edge&depth=2&limit=300' },
    { path: '/v1/topology?gateway=default/edge' },
  ],
  [{ path: '/v1/topology?group=namespace' }, { path: '/v1/topology' }],
  [{ path: '/v1/topology', way: 'again' }, { path: '/v1/topology' }],
  [{ path: '/v1/search?q=r1999&limit=20' }, { path: '/v1/routes' }],
  [{ path: '/v1/summary' }, { path: '/v1/summary' }],
];

const admin = await startAdmin({ protect: [], requestsPerSecond: 0 });
admin.build(...objects);
const done = new Map<string, Figures>();
for (const pair of pairs) {
  for (const asked of [...pair].reverse()) {
    const name = nameOf(asked);
    if (done.has(name)) continue;
    const figures = await measured(asked);
    done.set(name, figures);
    console.log(JSON.stringify({ request: name, ...figures }));
  }
}
for (const [light, whole] of pairs) {
  const [a, b] = [done.get(nameOf(light)), done.get(nameOf(whole))];
  if (!a || !b || light === whole || nameOf(light) === nameOf(whole)) continue;
  console.log(
    JSON.stringify({
      light: nameOf(light),
      whole: nameOf(whole),
      fewerBytes: rounded(b.bytes / Math.max(1, a.bytes)),
      faster: rounded(b.ms.median / a.ms.median),
      lessCpu: rounded(b.cpuMs / a.cpuMs),
    }),
  );
}
await admin.close();

function nameOf({ path, way = 'plain' }: Asked): string {
  return way === 'plain' ? path : `${path} (${way})`;
}

type Figures = Awaited<ReturnType<typeof measured>>;

async function measured({ path, way = 'plain' }: Asked) {
  const times: number[] = [];
  let last = await fetchWhole(path, {});
  const headers: Record<string, string> = {
    ...(way === 'gzip' && { 'accept-encoding': 'gzip' }),
    ...(way === 'again' && { 'if-none-match': last.tag }),
  };
  const watched = watchTurns();
  const cpu = process.cpuUsage();
  for (let turn = 0; turn < turns; turn++) {
    const began = performance.now();
    last = await fetchWhole(path, headers);
    times.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  return {
    status: last.status,
    bytes: last.bytes,
    ms: { median: rounded(times[times.length >> 1] ?? 0), max: rounded(times.at(-1) ?? 0) },
    cpuMs: rounded((user + system) / 1_000 / turns),
    longestTurnMs: rounded(watched.stop()),
  };
}

/** The longest that the event loop was held, in milliseconds of the processor: a busy machine makes no turn longer. */
function watchTurns() {
  const used = () => process.threadCpuUsage().user / 1_000 + process.threadCpuUsage().system / 1_000;
  let longest = 0;
  let before = used();
  const timer = setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - before);
    before = used();
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return longest;
    },
  };
}

/** The bytes as they come, packed or not. */
function fetchWhole(path: string, headers: Readonly<Record<string, string>>) {
  return new Promise<{ status: number; bytes: number; tag: string }>((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port: admin.ports.layout1, path, headers, agent: false }, (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, bytes, tag: response.headers.etag ?? '' }),
        );
      })
      .once('error', reject);
  });
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
