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
    spec === undefined || Object.keys(spec).length === 0 || targetRefs.length === 0
      ? []
      : [objectOf(own, kind, { name, namespace }, { targetRefs, ...spec })];
  const { buckets = [], limitStatus = 503 } = part;
  // What answers by itself does so before nginx looks at who asks, and how often.
  const isAsked = part.answer === undefined && part.redirect === undefined;
  const limits =
    buckets.length === 0
      ? undefined
      : { phase: 'BeforeAuth', ...(limitStatus !== 429 && { response: { status: limitStatus } }), buckets };
  return [
    ...(isAsked ? policy('AccessPolicy', part.access) : []),
    ...(isAsked ? policy('RateLimitPolicy', limits) : []),
    ...policy('TrafficPolicy', part.traffic),
  ];
}
