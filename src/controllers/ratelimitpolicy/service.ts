import { type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { resolveBackend } from '../../graph/backends/index.ts';
import type { Edge, Store } from '../../graph/engine/index.ts';
import type { ConditionFault } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import { madeOnce, markTargetsOf } from '../policies/index.ts';

type Policy = ObjectByKind['RateLimitPolicy'];

const kind = 'RateLimitPolicy';
const defaultTimeoutMs = 1000;

/** What counts for a policy of `counting: Service`; with a fault, a service that never answers. */
export interface ResolvedService {
  readonly service: ir.LimitServer;
  readonly fault?: ConditionFault;
}

export const asksService = ({ spec }: Policy): boolean => spec.counting === 'Service';

/** Undefined: the policy asks no service. The same object while its reference leads where it did. */
export function serviceOf(policy: Policy, { store }: { readonly store: Store }): ResolvedService | undefined {
  const { counting, service } = policy.spec;
  if (counting !== 'Service') return undefined;
  if (!service) return missing(policy);
  const { name, namespace, port } = service.backendRef;
  const own = policy.metadata.namespace ?? '';
  const user = { group: 'gatewright.dev', kind, namespace: own, variant: { http2: true } };
  const found = resolveBackend({ name, port, ...(namespace !== undefined && { namespace }) }, user, store);
  const known = 'fault' in found ? [found.fault.reason, found.fault.message] : [found.key, found.host];
  return madeOnce(policy, 'service', known, () => ({
    service: {
      ...('key' in found && { backend: found.key }),
      authority: ('key' in found ? found.host : undefined) ?? `${name}.${namespace ?? own}`,
      domain: service.domain,
      timeoutMs: parseDurationMs(service.timeout ?? '') ?? defaultTimeoutMs,
      failOpen: failsOpen(policy),
    },
    ...('fault' in found && { fault: closing(policy, found.fault) }),
  }));
}

const failsOpen = ({ spec }: Policy): boolean => spec.onFailure !== 'Reject';

/** Of a definition that is older than the policy. */
const missing = (policy: Policy): ResolvedService =>
  madeOnce(policy, 'service', [], () => ({
    service: { authority: '', domain: '', timeoutMs: defaultTimeoutMs, failOpen: failsOpen(policy) },
    fault: closing(policy, { reason: 'BackendNotFound', message: 'counting: Service has no service: set it' }),
  }));

/** Says what happens to requests meanwhile. */
const closing = (policy: Policy, { reason, message }: ConditionFault): ConditionFault => ({
  reason,
  message: `${message}; until then requests that its buckets match ${failsOpen(policy) ? 'come through uncounted' : 'are answered 503'}`,
});

/** From policies to the services that they ask. */
export const serviceEdge = {
  to: { Service: (key) => key },
  targets: ({ metadata, spec }) => {
    const { name, namespace } = spec.service?.backendRef ?? {};
    return name === undefined ? [] : [objectKey(namespace ?? metadata.namespace ?? '', name)];
  },
  grants: true,
  marks: (source, marking) => {
    marking.dirty.markStatus(kind, source);
    markTargetsOf(marking.store.find(kind, source), marking);
  },
} as const satisfies Edge<typeof kind>;
