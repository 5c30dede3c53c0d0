import type { Fields } from '../features/part.ts';
import type { Judged } from '../judge/judge.ts';
import { objectOf } from './object.ts';
import type { Route } from './route.ts';

const own = 'gatewright.dev/v1alpha1';
const gatewayApi = 'gateway.networking.k8s.io';

/** The policies of an Ingress, which are for its routes. */
export function policiesOf({ ingress, part }: Judged, routes: readonly Route[]): readonly Fields[] {
  const { name, namespace = 'default' } = ingress.metadata;
  const targetRefs = routes
    .filter(({ isMain }) => isMain)
    .map((route): Fields => ({ group: gatewayApi, kind: 'HTTPRoute', name: route.name }));
  const policy = (kind: string, spec: Fields | undefined) =>
    spec === undefined || Object.keys(spec).length === 0
      ? []
      : [objectOf(own, kind, { name, namespace }, { targetRefs, ...spec })];
  const { buckets = [], limitStatus = 503 } = part;
  const limits =
    buckets.length === 0
      ? undefined
      : { phase: 'BeforeAuth', ...(limitStatus !== 429 && { response: { status: limitStatus } }), buckets };
  return [
    ...policy('AccessPolicy', part.access),
    ...policy('RateLimitPolicy', limits),
    ...policy('TrafficPolicy', part.traffic),
  ];
}

/** Policies of Services that Ingresses of a namespace want, by Service; what several want of one is joined, and the first of two for one field counts. */
export class ServicePolicies {
  readonly #wants = new Map<
    string,
    { readonly name: string; readonly backend: Fields[]; readonly tls: Fields[]; readonly by: string[] }
  >();

  add({ ingress, part }: Judged, services: Iterable<string>): void {
    if (Object.keys(part.backend ?? {}).length === 0 && part.backendTls === undefined) return;
    for (const name of services) {
      const found = this.#wants.get(name) ?? { name, backend: [], tls: [], by: [] };
      this.#wants.set(name, found);
      found.by.push(ingress.metadata.name);
      if (part.backend) found.backend.push(part.backend);
      if (part.backendTls) found.tls.push(part.backendTls);
    }
  }

  /** What is written for a namespace, with Services that Ingresses want in different ways. */
  objects(namespace: string): { readonly objects: readonly Fields[]; readonly disputed: readonly string[] } {
    const sorted = [...this.#wants.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return {
      objects: sorted.flatMap(({ name, backend, tls }) => [
        ...policyOf(own, 'BackendPolicy', { name, namespace }, Object.assign({}, ...backend.toReversed()) as Fields),
        ...policyOf(`${gatewayApi}/v1`, 'BackendTLSPolicy', { name, namespace }, tls[0] ?? {}),
      ]),
      disputed: sorted
        .filter(({ backend, tls }) =>
          [backend, tls].some((list) => new Set(list.map((each) => JSON.stringify(each))).size > 1),
        )
        .map(({ name, by }) => `Service ${namespace}/${name}: ${by.join(', ')}`),
    };
  }
}

function policyOf(
  apiVersion: string,
  kind: string,
  metadata: { readonly name: string; readonly namespace: string },
  spec: Fields,
): readonly Fields[] {
  if (Object.keys(spec).length === 0) return [];
  return [
    objectOf(apiVersion, kind, metadata, {
      targetRefs: [{ group: '', kind: 'Service', name: metadata.name }],
      ...spec,
    }),
  ];
}
