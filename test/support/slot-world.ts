import type { ExecutionContext } from 'ava';
import type { ProcessingRequest } from '../../src/envoy/index.ts';
import { processedBy } from './extension-world.ts';
import { serviceObjects } from './http.ts';
import { type Reply, startProcessor } from './processor.ts';
import { crowdObjects } from './standalone.ts';
import { answerGroups } from './traffic-groups.ts';
import { spellings, startTrafficWorld, type TrafficWorld } from './traffic-world.ts';

/* A route of all sorts of hosts, with objects that fill all slots of its filters. */

const parted = 'parted.test';
export const hosts = [...spellings, parted] as const;
export const target = { name: 'web' };

const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', ...target }];
export const own = (kind: string, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind,
  metadata: { name: 'full' },
  spec: { targetRefs, ...spec },
});

/** What fills the slots of others: access, limits, CORS and sessions. */
export const others = [
  own('AccessPolicy', {
    clientIPs: { allow: ['127.0.0.0/8'] },
    csrf: { additionalOrigins: ['b.test'], shadow: true },
  }),
  own('RateLimitPolicy', { buckets: [{ name: 'many', limits: [{ requests: 1_000_000, per: '1s' }] }] }),
];
/** Both places of extensions. */
export const places = ['unseen-1', 'unseen-2'] as const;
export const extensions = places.map((name) => processedBy('unseen', target, {}, { name }));
const cors = { type: 'CORS', cors: { allowOrigins: ['https://a.test'] } };

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

interface SlotsOptions {
  readonly isFull: boolean;
  /** Of the processor. */
  readonly reply: (message: ProcessingRequest) => Reply;
  /** What is there besides, if all slots are to be full. */
  readonly objects: readonly object[];
  /** Of the route's rules, likewise. */
  readonly filters?: readonly object[];
}

/** Routes of all sorts of hosts, with a processor behind the Service `unseen`. */
export async function startSlots(
  t: ExecutionContext,
  { isFull, reply, objects, filters = [] }: SlotsOptions,
): Promise<TrafficWorld> {
  t.timeout(600_000);
  const more = isFull ? { filters: [cors, ...filters], sessionPersistence: { cookie: { name: 'here' } } } : {};
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
