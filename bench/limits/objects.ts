import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import type { Subject } from '../peer/subject.ts';
import { backend, namespace } from '../peer/world.ts';
import type { Typed } from '../support/apply-all.ts';

const trafficPolicies: ResourceType = {
  group: 'gateway.envoyproxy.io',
  version: 'v1alpha1',
  plural: 'backendtrafficpolicies',
};
const core = 'gateway.networking.k8s.io';

/** Requests a second of the limit that is reached. */
export const strictLimit = 50;
/** By host: requests a second. */
const limits = { free: undefined, limited: 1_000_000, strict: strictLimit } as const;
export type Host = keyof typeof limits;

export const hostOf = (host: Host): string => `${host}.example.com`;

/** A route for each host of a subject, and its limit. */
export const objectsOf = (subject: Subject): Typed[] =>
  (Object.keys(limits) as Host[]).flatMap((host) => [
    [kinds.HTTPRoute, route(subject.gateway, host)],
    ...policies(subject.gateway, host),
  ]);

const nameOf = (gateway: string, host: Host): string => `${gateway}-${host}`;

function route(gateway: string, host: Host): KubernetesObject {
  const spec = {
    parentRefs: [{ name: gateway }],
    hostnames: [hostOf(host)],
    rules: [{ backendRefs: [{ name: backend.name, port: backend.port }] }],
  };
  const metadata = { name: nameOf(gateway, host), namespace };
  return { apiVersion: `${core}/v1`, kind: 'HTTPRoute', metadata, spec };
}

function policies(gateway: string, host: Host): Typed[] {
  const requests = limits[host];
  if (requests === undefined) return [];
  const metadata = { name: nameOf(gateway, host), namespace };
  const targetRefs = [{ group: core, kind: 'HTTPRoute', name: nameOf(gateway, host) }];
  if (!gateway.startsWith('gatewright')) {
    const rateLimit = { type: 'Global', global: { rules: [{ limit: { requests, unit: 'Second' } }] } };
    const spec = { targetRefs, rateLimit };
    return [
      [trafficPolicies, { apiVersion: `gateway.envoyproxy.io/v1alpha1`, kind: 'BackendTrafficPolicy', metadata, spec }],
    ];
  }
  const spec = { targetRefs, counting: 'Shared', buckets: [{ name: 'all', limits: [{ requests, per: '1s' }] }] };
  return [[kinds.RateLimitPolicy, { apiVersion: 'gatewright.dev/v1alpha1', kind: 'RateLimitPolicy', metadata, spec }]];
}
