import test, { type ExecutionContext } from 'ava';
import type { ProcessingRequest } from '../../src/envoy/index.ts';
import { processedBy, scripted, withModule } from '../support/extension-world.ts';
import { serviceObjects } from '../support/http.ts';
import { headersOf, passing, type Reply, setting, startProcessor } from '../support/processor.ts';
import { crowdObjects } from '../support/standalone.ts';
import { answerGroups, trafficGroups } from '../support/traffic-groups.ts';
import {
  neighbours,
  spellings,
  startTrafficWorld,
  type TrafficWorld,
  trafficPolicy,
} from '../support/traffic-world.ts';
import { wasmModule } from '../support/wasm.ts';

/**
 * Each filter of TrafficPolicies, and extensions, in their slots, on a route alone and on one that fills all other slots as well, however its host is found. It guards
 * each update of Envoy: what a slot lets a filter do is nowhere promised.
 */

const parted = 'parted.test';
const hosts = [...spellings, parted] as const;
const target = { name: 'web' };

/** Each of the other groups, with a value that nothing is seen of. */
const unseen: Readonly<Record<string, unknown>> = {
  requestBody: { maxBytes: '1Gi' },
  compression: { contentTypes: ['x/none'] },
  errorPages: [{ codes: [499], body: { contentType: 'text/plain', inline: 'none' } }],
  faults: { abort: { status: 418, percent: 100 }, onlyWithHeader: { name: 'x-none' } },
  buffering: { request: { maxBytes: '50Mi' } },
  responseLocation: [{ from: 'http://none.test/', to: '/' }],
  responseCookies: { domain: [{ from: 'none.test', to: 'test' }] },
  grpcWeb: {},
  admission: { minRequestsPerSecond: 1_000_000 },
  bandwidth: { perRequest: { response: '1Gi' }, total: { request: '1Gi', response: '1Gi' } },
};

const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', ...target }];
const own = (kind: string, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind,
  metadata: { name: 'full' },
  spec: { targetRefs, ...spec },
});

/** What fills the slots of others: access, limits, CORS and sessions. */
const others = [
  own('AccessPolicy', {
    clientIPs: { allow: ['127.0.0.0/8'] },
    csrf: { additionalOrigins: ['b.test'], shadow: true },
  }),
  own('RateLimitPolicy', { buckets: [{ name: 'many', limits: [{ requests: 1_000_000, per: '1s' }] }] }),
];
/** Both places of extensions. */
const places = ['unseen-1', 'unseen-2'] as const;
const extensions = places.map((name) => processedBy('unseen', target, {}, { name }));
const filters = [{ type: 'CORS', cors: { allowOrigins: ['https://a.test'] } }];

const routeOf = (name: string, hostnames: readonly string[], rules: readonly object[]) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name },
  spec: { parentRefs: [{ name: 'edge' }], hostnames, rules },
});

const rulesOf = (more: object) =>
  [{ name: 'special', matches: [{ path: { value: '/special' } }] }, {}].map((rule) => ({
    ...rule,
    backendRefs: [{ name: 'web', port: 80 }],
    ...more,
  }));

/** Routes of all sorts of hosts, with a processor behind the Service `unseen`. */
async function startSlots(
  t: ExecutionContext,
  isFull: boolean,
  reply: (message: ProcessingRequest) => Reply,
  objects: readonly object[],
): Promise<TrafficWorld> {
  t.timeout(600_000);
  const more = isFull ? { filters, sessionPersistence: { cookie: { name: 'here' } } } : {};
  const { port } = await startProcessor(t, reply);
  const manifests = {
    'routes.yaml': [
      routeOf('web', ['a.test', '*.w.test', parted], rulesOf(more)),
      routeOf('neighbour', ['n.test', '*.n.test'], rulesOf({})),
      ...crowdObjects(parted, 'crowd'),
    ],
    'crowd.yaml': serviceObjects('crowd', [9]),
    'unseen.yaml': serviceObjects('unseen', [port]),
    ...(isFull && { 'others.yaml': objects }),
  };
  return await startTrafficWorld(t, answerGroups, manifests, {
    config: { extensions: { lua: true, wasm: true, wasmMaxMiB: 16 } },
  });
}

const counts = (message: ProcessingRequest): Reply => {
  if (message.request.case !== 'responseHeaders') return passing(message);
  const { 'x-processed': before = '' } = headersOf(message.request.value.headers);
  return setting(message, { 'x-processed': `${before}1` });
};

const script = `
function envoy_on_response(handle)
  local headers = handle:headers()
  headers:replace("x-processed", (headers:get("x-processed") or "") .. "1")
end`;

type Named = { readonly metadata: { readonly name: string } };

/** By what they are, extensions that count themselves in answers, with what they need. */
const counting: Readonly<Record<string, (name: string) => Promise<readonly Named[]>>> = {
  processors: async (name: string) => [processedBy('unseen', target, {}, { name })],
  scripts: async (name: string) => [scripted(name, target, script)],
  modules: async (name: string) =>
    withModule(
      name,
      target,
      await wasmModule({ response: (write) => write.header('add', 'response', 'x-processed', '1') }),
    ),
};

for (const [what, extensionBy] of Object.entries(counting))
  for (const isFull of [false, true])
    test(`${what} act on their route and no other, ${isFull ? 'where all slots are full' : 'alone'}`, async (t) => {
      const world = await startSlots(t, isFull, counts, others);
      const look = async (host: string, path: string) =>
        String((await world.ask(host, { path })).headers['x-processed'] ?? '').replaceAll(', ', '');
      const all = await Promise.all(places.map(extensionBy));
      for (const some of [all.slice(0, 1), all]) {
        await world.rule(...some.flat(), ...(isFull ? [trafficPolicy('web', target, unseen)] : []));
        const seen = '1'.repeat(some.length);
        for (const host of hosts) for (const path of ['/', '/special']) t.is(await look(host, path), seen, host + path);
        for (const host of neighbours) t.is(await look(host, '/'), '', host);
      }
    });

for (const isFull of [false, true]) {
  test(`each filter acts on its route and no other, ${isFull ? 'where all slots are full' : 'alone'}`, async (t) => {
    const world = await startSlots(t, isFull, passing, [...others, ...extensions]);
    const plain = new Map<string, string>();
    for (const { group, look } of trafficGroups) plain.set(group, await look(world, 'n.test', '/'));
    for (const { group, value, look, seen } of trafficGroups) {
      const rest = Object.entries(unseen).filter(([name]) => isFull && name !== group);
      await world.rule(trafficPolicy('web', target, { ...Object.fromEntries(rest), [group]: value }));
      for (const host of hosts)
        for (const path of ['/', '/special']) t.is(await look(world, host, path), seen[0], `${group} ${host}${path}`);
      for (const host of neighbours) t.is(await look(world, host, '/'), plain.get(group) ?? '', `${group} ${host}`);
    }
  });
}
