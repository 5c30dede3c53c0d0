import { serviceUrl } from '../../ingress/index.ts';
import type { Draft } from '../kit/draft.ts';
import type { SourceObject } from '../kit/objects.ts';
import { objectOf } from '../kit/output.ts';
import type { Visit } from '../kit/table.ts';
import { type Fields, isFields, textAt } from '../kit/values.ts';
import type { Services } from './services.ts';

const own = 'gatewright.dev/v1alpha1';

/** The spec that denies all. */
const closedSpec: Fields = { clientIPs: { deny: ['0.0.0.0/0', '::/0'] } };

interface Place {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
}

/** Policies of one route, and what they refer to. */
export function policyObjects(
  draft: Draft,
  sources: ReadonlyMap<string, SourceObject>,
  place: Place,
  isClosed: boolean,
  services: Services,
  visit: Visit,
): readonly Fields[] {
  const { namespace, name, kind } = place;
  const targetRefs = [{ group: 'gateway.networking.k8s.io', kind, name }];
  const made: Fields[] = [];
  const outside = isClosed ? undefined : askServer(draft, sources.get('forwardAuth'), place, services, visit);
  if (outside !== undefined) made.push(outside);
  grantSecret(draft, sources.get('basicAuth'), place, services);
  placeErrorPages(draft, sources.get('errorPages'), place, services, visit);
  const access = isClosed ? closedSpec : draft.of('AccessPolicy');
  const limits = draft.get('RateLimitPolicy.buckets') as readonly Fields[] | undefined;
  if (access !== undefined) made.push(objectOf(own, 'AccessPolicy', namespace, name, { targetRefs, ...access }));
  const traffic = draft.of('TrafficPolicy');
  if (traffic !== undefined) made.push(objectOf(own, 'TrafficPolicy', namespace, name, { targetRefs, ...traffic }));
  if (limits !== undefined && limits.length > 0)
    made.push(
      objectOf(own, 'RateLimitPolicy', namespace, name, {
        targetRefs,
        ...countingOf(draft, limits, visit),
        buckets: limits.map((bucket, index) => ({ name: `limit-${index + 1}`, ...bucket })),
      }),
    );
  return made;
}

/** Requests that are under way are counted by each proxy, and a policy counts in one way. */
function countingOf(draft: Draft, limits: readonly Fields[], visit: Visit): Fields {
  const counting = draft.get('RateLimitPolicy.counting');
  if (counting === undefined) return {};
  if (limits.every(({ concurrent }) => concurrent === undefined)) return { counting };
  visit.at('middlewares').note('differs', 'each proxy counts the rates too, as it does requests under way');
  return {};
}

/** Error pages from a Service, by default of the Middleware's namespace. */
function placeErrorPages(
  draft: Draft,
  source: SourceObject | undefined,
  { namespace: home }: Place,
  services: Services,
  visit: Visit,
): void {
  const service = draft.of('ErrorPages')?.service;
  if (!isFields(service)) return;
  const namespace = textAt(service, 'namespace') ?? source?.namespace ?? home;
  const backendRef = services.refOf(service, namespace, home, 'TrafficPolicy', visit.at('middlewares'));
  const pages = (draft.get('TrafficPolicy.errorPages') ?? []) as readonly { readonly service: Fields }[];
  draft.set(
    'TrafficPolicy.errorPages',
    pages.map((page) => ({ ...page, service: { backendRef, ...page.service } })),
  );
}

/** A Secret of the Middleware's namespace. */
function grantSecret(draft: Draft, source: SourceObject | undefined, { namespace }: Place, services: Services): void {
  const name = draft.get('AccessPolicy.basicAuth.secretRef.name');
  if (source === undefined || typeof name !== 'string' || source.namespace === namespace) return;
  draft.set('AccessPolicy.basicAuth.secretRef.namespace', source.namespace);
  services.addGrant('AccessPolicy', namespace, 'Secret', source.namespace, name);
}

/** The server of a forwardAuth: a Service by its name in the cluster, or an XBackend, which is given, for a host outside. */
function askServer(
  draft: Draft,
  source: SourceObject | undefined,
  place: Place,
  services: Services,
  visit: Visit,
): Fields | undefined {
  const { address } = (draft.of('ForwardAuth') ?? {}) as { readonly address?: string };
  if (address === undefined) return undefined;
  const set = (path: string, value: unknown) => draft.set(`AccessPolicy.forwardAuth.${path}`, value);
  const url = URL.parse(address);
  set('http.method', 'GET');
  set('http.allowWith', 'Successful');
  if (draft.get('AccessPolicy.forwardAuth.http.requestHeaders') === undefined) {
    set('http.requestHeaders', ['cookie', 'accept', 'user-agent']);
    visit
      .at('middlewares')
      .note(
        'differs',
        'the server that is asked gets Authorization and the headers of http.requestHeaders, and no others',
      );
  }
  const service = serviceUrl(address, source?.namespace ?? place.namespace);
  if (service !== undefined) {
    const { name, namespace, port, path } = service;
    set('http.path', path);
    set('backendRef', { name, ...(namespace !== place.namespace && { namespace }), port });
    services.addGrant('AccessPolicy', place.namespace, 'Service', namespace, name);
    return undefined;
  }
  const isTls = url?.protocol === 'https:';
  const hostname = url?.hostname ?? 'unknown.invalid';
  const backend = `${place.name}-auth`;
  set('http.path', url === null ? '/' : url.pathname + url.search);
  set('backendRef', { group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name: backend });
  return objectOf('gateway.networking.x-k8s.io/v1alpha1', 'XBackend', place.namespace, backend, {
    type: 'ExternalHostname',
    externalHostname: { hostname },
    port: { number: Number(url?.port) || (isTls ? 443 : 80) },
    protocol: 'HTTP',
    ...(isTls && { tls: { mode: 'ServerOnly', validation: { hostname, wellKnownCACertificates: 'System' } } }),
  });
}
