import { type KubernetesObject, keyOf, objectKey, type Service } from '../gateway-api/index.ts';
import type { ManagedObjects } from './managed-objects.ts';
import type { ProxyKindName, ProxyObject } from './object.ts';
import { gatewayOf } from './owner.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { matchesDesired } from './reconcile-object.ts';
import { addressesOf } from './state.ts';
import { isWorkload, workloadFacts } from './workload.ts';

/** One object that was made for a Gateway, or should be. */
export interface ManagedPart {
  readonly kind: ProxyKindName;
  readonly namespace: string;
  readonly name: string;
  readonly role: 'identity' | 'trust' | 'proxies' | 'address' | 'disruption-budget' | 'network-policy' | 'autoscaler';
  /** `NAMESPACE/NAME` of the Gateway, `NAMESPACE/class:NAME` where the Gateways of a class share it. */
  readonly owner: string | null;
  readonly state: 'ready' | 'pending' | 'drifted' | 'missing' | 'orphan';
  /** For people; empty when ready. */
  readonly reasons: readonly string[];
  /** Of a Deployment or a DaemonSet. */
  readonly replicas: { readonly desired: number; readonly ready: number } | null;
  readonly addresses: readonly string[];
}

const roles = {
  ServiceAccount: 'identity',
  ConfigMap: 'trust',
  Deployment: 'proxies',
  DaemonSet: 'proxies',
  Service: 'address',
  NetworkPolicy: 'network-policy',
  PodDisruptionBudget: 'disruption-budget',
  HorizontalPodAutoscaler: 'autoscaler',
} as const;

/** What there is of the proxies with these keys, and what should be; then what no Gateway needs. */
export function inventoryOf(
  desired: ReadonlyMap<string, PlacedProxies>,
  managed: ManagedObjects,
  objectsOf: (gateway: PlacedProxies) => readonly ProxyObject[],
): ManagedPart[] {
  const seen = new Set<string>();
  const parts = [...desired].flatMap(([key, gateway]) =>
    objectsOf(gateway).map((object) => {
      seen.add(partKey(object));
      return desiredPart(key, object, managed.find(object.kind, keyOf(object)));
    }),
  );
  const kept = [...desired].filter(([, { parameters }]) => parameters === undefined);
  for (const object of kept.flatMap(([key]) => [...managed.of(key)])) {
    seen.add(partKey(object));
    parts.push(keptPart(gatewayOf(object) ?? '', object));
  }
  const others = [...managed.gateways()].flatMap((key) => [...managed.of(key)]);
  return [...parts, ...others.filter((object) => !seen.has(partKey(object))).map(orphanPart)];
}

/** The state of a desired object; `live` is undefined where there is none. */
function desiredPart(owner: string, desired: ProxyObject, live: KubernetesObject | undefined): ManagedPart {
  const { namespace, name } = desired.metadata;
  const base = { kind: desired.kind, namespace, name, role: roles[desired.kind], owner };
  if (live === undefined) {
    return { ...base, state: 'missing', reasons: ['it does not exist yet'], replicas: null, addresses: [] };
  }
  const facts = factsOf(desired.kind, live);
  if (!matchesDesired(live, desired))
    return { ...base, ...facts, state: 'drifted', reasons: ['it differs from the desired object'] };
  const reasons = pendingReasons(desired.kind, live, facts);
  return { ...base, ...facts, state: reasons.length === 0 ? 'ready' : 'pending', reasons };
}

/** An object that stays as it is, because the desired one is not known. */
const keptPart = (owner: string, live: KubernetesObject & { readonly kind: ProxyKindName }): ManagedPart => {
  const facts = factsOf(live.kind, live);
  const reasons = pendingReasons(live.kind, live, facts);
  return { ...orphanPart(live), owner, ...facts, state: reasons.length === 0 ? 'ready' : 'pending', reasons };
};

/** An object of ours that no Gateway needs. */
const orphanPart = (live: KubernetesObject & { readonly kind: ProxyKindName }): ManagedPart => ({
  kind: live.kind,
  namespace: live.metadata.namespace ?? '',
  name: live.metadata.name,
  role: roles[live.kind],
  owner: gatewayOf(live) ?? null,
  ...factsOf(live.kind, live),
  state: 'orphan',
  reasons: ['no Gateway of ours needs it'],
});

/** How objects are identified. */
export const partKey = ({ kind, metadata }: Pick<ProxyObject, 'kind' | 'metadata'> | KubernetesObject): string =>
  `${kind} ${objectKey(metadata.namespace, metadata.name)}`;

type Facts = Pick<ManagedPart, 'replicas' | 'addresses'>;

function factsOf(kind: ProxyKindName, live: KubernetesObject): Facts {
  if (kind === 'Service') return { replicas: null, addresses: addressesOf(live as Service).map(({ value }) => value) };
  if (!isWorkload(kind)) return { replicas: null, addresses: [] };
  const { desired, ready } = workloadFacts(live);
  return { replicas: { desired, ready }, addresses: [] };
}

function pendingReasons(kind: ProxyKindName, live: KubernetesObject, { replicas, addresses }: Facts): string[] {
  if (kind === 'Service') return addresses.length > 0 ? [] : ['it waits for an address'];
  if (replicas === null || replicas.ready >= replicas.desired) return [];
  return [`${replicas.ready} of ${replicas.desired} pods are ready`, ...workloadFacts(live).failures];
}
