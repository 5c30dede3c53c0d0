import { objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import { bundleKey } from '../../graph/certificates/index.ts';
import { type Change, type Edge, type Marking, versionsOf } from '../../graph/engine/index.ts';
import { keysName, loginKey } from '../../key-sets/index.ts';
import { isListenerOwner, markRouteTargets, markTargetsOf } from '../policies/index.ts';
import { alikePartsOf, routesOf } from './alike-keys.ts';
import { hasLocationRules } from './locations.ts';
import {
  authorityKeys,
  fetchedKeysOf,
  hasPathRules,
  loginBackendKeysOf,
  namespaceOf,
  type Policy,
  policyOfProvider,
  readProvidersOf,
} from './parts/index.ts';
import { accessTargets } from './targets.ts';

const kind = 'AccessPolicy';

interface Ref {
  readonly name: string;
  readonly namespace?: string;
}

const keysOf = (policy: Policy, refs: readonly (Ref | undefined)[]): string[] =>
  refs.flatMap((ref) => (ref ? objectKey(ref.namespace ?? namespaceOf(policy), ref.name) : []));

const isOfXBackend = ({ spec }: Policy): boolean => spec.forwardAuth?.backendRef.kind === 'XBackend';

const jwksOf = ({ spec }: Policy) => (spec.jwt?.providers ?? []).map(({ jwks }) => jwks);

/** Looks at a policy again, and at what it is for. */
function markPolicy(source: string, marking: Marking): void {
  const policy = marking.store.find(kind, source);
  marking.dirty.markStatus(kind, source);
  markTargetsOf(policy, marking);
  if (policy) markLogins(policy, marking);
}

/** What its logins are made by is in a backend of its own. */
function markLogins(policy: Policy, { dirty, store }: Marking): void {
  for (const key of loginBackendKeysOf(policy, store)) dirty.backends.add(key);
}

/** What policies refer to. */
export const accessPolicyEdges = {
  target: accessTargets.edge,
  secret: {
    to: { Secret: (key) => key },
    targets: (policy) =>
      keysOf(policy, [
        ...(policy.spec.apiKeys?.secretRefs ?? []),
        policy.spec.basicAuth?.secretRef,
        policy.spec.oidc?.client.secretRef,
        ...jwksOf(policy).map(({ secretRef }) => secretRef),
      ]),
    grants: true,
    marks: markPolicy,
  },
  /** The key of all logins, by its name. */
  loginKey: {
    to: { Secret: (key) => parseObjectKey(key).name },
    targets: ({ spec }) => (spec.oidc ? [loginKey.name] : []),
    marks: markPolicy,
  },
  configMap: {
    to: { ConfigMap: (key) => key },
    targets: (policy) =>
      keysOf(
        policy,
        jwksOf(policy).map(({ configMapRef }) => configMapRef),
      ),
    grants: true,
    marks: markPolicy,
  },
  /** Keys that the control plane fetched, by the name of what keeps them. */
  fetchedKeys: {
    to: { ConfigMap: (key) => parseObjectKey(key).name },
    targets: (policy) => fetchedKeysOf(policy).map(keysName),
    marks: markPolicy,
  },
  /** Authorities of the servers that keys are fetched from. */
  authority: {
    to: { ConfigMap: (key) => key, ClusterTrustBundle: bundleKey },
    targets: (policy) => [
      ...fetchedKeysOf(policy).flatMap(({ authorities }) => authorities),
      ...authorityKeys(policy.spec.oidc?.caCertificateRefs, policy),
    ],
    marks: markPolicy,
  },
  server: {
    to: { Service: (key) => key },
    targets: (policy) =>
      keysOf(policy, [
        isOfXBackend(policy) ? undefined : policy.spec.forwardAuth?.backendRef,
        policy.spec.oidc?.backendRef,
        ...jwksOf(policy).map(({ backendRef }) => backendRef),
      ]),
    grants: true,
    marks: markPolicy,
  },
  externalServer: {
    to: { XBackend: (key) => key },
    targets: (policy) => keysOf(policy, [isOfXBackend(policy) ? policy.spec.forwardAuth?.backendRef : undefined]),
    grants: true,
    marks: markPolicy,
  },
  /** Which protocol listeners have, and what they ask clients for, is said where they are declared. No route is resolved again for that. All are under one key. */
  listeners: {
    to: { Gateway: () => needingListeners, ListenerSet: () => needingListeners },
    targets: ({ spec }) => (spec.clientCertificates || spec.oidc ? [needingListeners] : []),
    marks: (source, marking) => marking.dirty.markStatus(kind, source),
  },
  /** Rules by path hold where ListenerPolicies have paths normalized, and listeners come and go. All are under one key. */
  paths: {
    to: {
      Gateway: () => lookingAtPaths,
      ListenerSet: () => lookingAtPaths,
      ListenerPolicy: () => lookingAtPaths,
    },
    targets: ({ spec }) => (hasPathRules(spec) ? [lookingAtPaths] : []),
    marks: (source, marking) => marking.dirty.markStatus(kind, source),
  },
  /** Which databases proxies have is said by DataPlanes, which Gateways and classes name. All are under one key. */
  locations: {
    to: {
      Gateway: () => byLocation,
      GatewayClass: () => byLocation,
      DataPlane: () => byLocation,
    },
    targets: (policy) => (hasLocationRules(policy) ? [byLocation] : []),
    marks: (source, marking) => marking.dirty.markStatus(kind, source),
  },
  /** Providers whose claims rules ask for, by ir.JwtProvider.id: proxies copy claims only where someone reads them. */
  claims: { to: {}, targets: readProvidersOf, marks: 'nothing' },
  /** Policies of routes, by what their parts say: it leads to no object. */
  alike: {
    to: {},
    targets: (policy) => [...keysAlike(policy)],
    marks: 'nothing',
  },
  /** Policies that switch parts of upper levels off, of whichever: their routes say which, and may come and go. All are under one key. */
  overriding: {
    to: { Gateway: () => overriding },
    targets: ({ spec }) => (spec.overrides?.length ? [overriding] : []),
    marks: 'nothing',
  },
} as const satisfies Record<string, Edge<typeof kind>>;

/** What connections can show. */
export const isOfConnections = (part: string): boolean => part === 'clientIPs' || part === 'clientCertificates';

/** Routes of connections that are not looked into: of their clients the address is known, and the certificate where TLS ends. */
export const isConnectionRoute = (kind: string): kind is 'TCPRoute' | 'TLSRoute' =>
  kind === 'TCPRoute' || kind === 'TLSRoute';

const overriding = 'overriding';
const byLocation = 'by location';
const lookingAtPaths = 'looking at paths';
const needingListeners = 'needing something of listeners';

const readBy = (policy: Policy | undefined): ReadonlySet<string> => new Set(policy ? readProvidersOf(policy) : []);

/** Other policies whose claims it is the first to read, or was the last. */
function markProviders(change: Change<typeof kind>, marking: Marking): void {
  const [before, after] = [readBy(change.before), readBy(change.after)];
  const readers = marking.edges.of(accessPolicyEdges.claims);
  for (const provider of before.symmetricDifference(after)) {
    const policy = policyOfProvider(provider);
    if (policy !== change.key && readers.count(provider) <= 1) markTargetsOf(marking.store.find(kind, policy), marking);
  }
}

/**
 * So many routes and rules may have a part alike before the statuses of their policies say that one above them would do. Proxies keep it for each of them,
 * and that of a Gateway or listener once. It takes 5 to 20 kB of each Envoy for a route with one match, whatever number of routes a policy has
 * (`npm run bench -- access-memory`). So up to here it is 1.3 MB at most, which is not worth moving a policy for.
 */
export const mostAlike = 64;

/**
 * How many routes and rules have a part alike, counted until there are more than `enough`. Each policy has one at least, so that no more than `enough` + 1
 * policies are looked at, however many there are.
 */
export function routesAlike(key: string, { store, edges }: Pick<Marking, 'store' | 'edges'>, enough: number): number {
  const alike = edges.of(accessPolicyEdges.alike);
  if (alike.count(key) > enough) return alike.count(key);
  let routes = 0;
  for (const source of alike.sourcesOf(key)) {
    const policy = store.find(kind, source);
    routes += policy ? routesOf(policy) : 0;
    if (routes > enough) break;
  }
  return routes;
}

const keysAlike = (policy: Policy | undefined): ReadonlySet<string> =>
  new Set(policy ? alikePartsOf(policy).map(({ key }) => key) : []);

/** All that have a part alike, when their routes become too many, or are no longer. */
function markAlike({ before, after }: Change<typeof kind>, marking: Marking): void {
  const [was, is] = [keysAlike(before), keysAlike(after)];
  const routesBefore = before ? routesOf(before) : 0;
  const routesAfter = after ? routesOf(after) : 0;
  for (const key of was.union(is)) {
    const more = (is.has(key) ? routesAfter : 0) - (was.has(key) ? routesBefore : 0);
    const now = routesAlike(key, marking, mostAlike + Math.max(0, more));
    if (now > mostAlike !== now - more > mostAlike)
      marking.dirty.markStatuses(kind, marking.edges.of(accessPolicyEdges.alike).sourcesOf(key));
  }
}

/** Those with rules by location. */
export const markByLocation = ({ dirty, edges }: Marking): void =>
  dirty.markStatuses(kind, edges.of(accessPolicyEdges.locations).sourcesOf(byLocation));

/** Its targets; and, where it is for listeners, the statuses of the policies that may switch parts of it off. */
export function markAccessPolicy(change: Change<typeof kind>, marking: Marking): void {
  markRouteTargets(accessTargets, change, marking);
  markProviders(change, marking);
  markAlike(change, marking);
  for (const policy of versionsOf(change)) markLogins(policy, marking);
  if (!versionsOf(change).some(({ spec }) => spec.targetRefs.some((ref) => isListenerOwner(ref.kind)))) return;
  marking.dirty.markStatuses(kind, marking.edges.of(accessPolicyEdges.overriding).sourcesOf(overriding));
}
