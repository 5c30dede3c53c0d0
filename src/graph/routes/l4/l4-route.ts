import {
  intersectHostnames,
  type ObjectByKind,
  type ParentReference,
  type RouteParentStatus,
} from '../../../gateway-api/index.ts';
import type * as ir from '../../../ir/index.ts';
import { resolveBackend, UseBook } from '../../backends/index.ts';
import type { Store } from '../../engine/index.ts';
import { type StreamContribution, streamPlace } from '../../hosts/index.ts';
import {
  attachmentKey,
  type BackendVariant,
  type ConditionFault,
  clientCertificateKey,
  combineFaults,
  conditionOf,
  ownerOf,
  type ResolvedGateway,
  type ResolvedListener,
  type RouteObject,
  routeSource,
  terminatesTls,
} from '../../model/index.ts';
import { rejectedShares } from '../../quarantine/index.ts';
import { type Attached, hostnamesOf, parentRefOf, parentsOf } from '../attach.ts';
import type { ResolvedRoute, RouteDeps } from '../route.ts';

/** A route of connections or datagrams: all of it is where to, nothing of it looks inside. */
export type L4RouteObject = ObjectByKind['TLSRoute' | 'TCPRoute' | 'UDPRoute'];

export const isL4Route = (route: RouteObject): route is L4RouteObject =>
  route.kind === 'TLSRoute' || route.kind === 'TCPRoute' || route.kind === 'UDPRoute';

/** Follows a route's references. Never throws for what a user wrote: faults become conditions. */
export function resolveL4Route(route: L4RouteObject, deps: RouteDeps): ResolvedRoute {
  const sharesFor = memoizeShares(route, deps.store);
  const parents: RouteParentStatus[] = [];
  const streams = new Map<string, StreamContribution>();
  const attachments = new Set<string>();
  const uses = new UseBook();
  const access = route.kind === 'UDPRoute' ? undefined : deps.policies.connections(route, route.spec?.rules?.[0]?.name);
  for (const { ref, gateway, attached } of parentsOf(route, deps)) {
    const place = { gateway: gateway.fleet, source: routeSource(route) };
    const rejectionFor = (listener: ResolvedListener) =>
      rejectedShares(deps.quarantine, place, sharesFor(variantFor(gateway, listener)).shares);
    const rejected =
      'fault' in attached
        ? undefined
        : combineFaults(attached.listeners.flatMap((listener) => rejectionFor(listener)?.fault ?? []));
    // What a reference leads to is another thing for each listener, whether it leads anywhere is not.
    const { faults } = sharesFor({});
    parents.push(parentStatus(route, ref, deps.controllerName, rejected ? { fault: rejected } : attached, faults));
    if ('fault' in attached) continue;
    for (const listener of attached.listeners) {
      if (rejectionFor(listener)?.isLeftOut) continue;
      attachments.add(attachmentKey(gateway.key, listener.id));
      const shape = deps.fleet(gateway.fleet).streams.get(listener.table ?? '');
      if (!shape) continue;
      const resolved = sharesFor(variantFor(gateway, listener));
      uses.add(gateway, resolved.backends);
      for (const original of hostnamesOf(route)) {
        const host = intersectHostnames(listener.hostname, original);
        // A host that a more specific listener of the port stands for is left to that one.
        if (host === undefined || ownerOf(shape, host) !== listener) continue;
        const { creationTimestamp: created = '' } = route.metadata;
        const made = {
          source: routeSource(route),
          gateway: gateway.fleet,
          parent: gateway.key,
          table: shape.id,
          host,
          original,
          created,
          shares: resolved.shares,
          ...(access && { access }),
        };
        streams.set(streamPlace(made), made);
      }
    }
  }
  return {
    parents,
    contributions: [],
    streams: [...streams.values()],
    attachments: [...attachments],
    uses: uses.list(),
  };
}

/**
 * Where TLS ends at the gateway it may begin again towards the backend. What else goes through is the client's own: TLS
 * around it would be one too many. Source: BackendTLSPolicy, TLSRoute in mode Terminate.
 */
function variantFor(gateway: ResolvedGateway, { protocol, spec }: ResolvedListener): BackendVariant {
  if (protocol === 'UDP') return {};
  if (!terminatesTls(spec)) return { stream: 'plain' };
  const clientCertificate = clientCertificateKey(gateway);
  return { stream: 'tcp', ...(clientCertificate && { clientCertificate }) };
}

interface ResolvedShares {
  readonly shares: readonly ir.StreamShare[];
  readonly backends: readonly string[];
  readonly faults: readonly ConditionFault[];
}

function memoizeShares(route: L4RouteObject, store: Store) {
  const resolved = new Map<string, ResolvedShares>();
  return (variant: BackendVariant): ResolvedShares => {
    const key = JSON.stringify(variant);
    const shares = resolved.get(key) ?? resolveShares(route, variant, store);
    resolved.set(key, shares);
    return shares;
  };
}

/**
 * A reference that does not resolve keeps its share, whose connections are closed. The API takes one rule exactly.
 * Source: TCPRouteRule.backendRefs, GEP-1901.
 */
function resolveShares(route: L4RouteObject, variant: BackendVariant, store: Store): ResolvedShares {
  const { kind, metadata, spec } = route;
  const from = { kind, namespace: metadata.namespace ?? '', variant };
  const refs = spec?.rules?.[0]?.backendRefs ?? [];
  const resolved = refs.map((ref) => ({ weight: ref.weight ?? 1, target: resolveBackend(ref, from, store) }));
  const shares = resolved
    .filter(({ weight }) => weight > 0)
    .map(({ weight, target }): ir.StreamShare => ({ ...('key' in target && { backend: target.key }), weight }));
  const backends = shares.flatMap(({ backend }) => backend ?? []);
  return {
    shares: backends.length > 0 ? shares : [],
    backends: [...new Set(backends)],
    faults: resolved.flatMap(({ target }) => ('fault' in target ? [target.fault] : [])),
  };
}

function parentStatus(
  route: L4RouteObject,
  ref: ParentReference,
  controllerName: string,
  attached: Attached,
  faults: readonly ConditionFault[],
): RouteParentStatus {
  const generation = route.metadata.generation ?? 0;
  const conditions = [
    conditionOf('Accepted', generation, 'fault' in attached ? attached.fault : undefined),
    conditionOf('ResolvedRefs', generation, combineFaults(faults)),
  ];
  return { parentRef: parentRefOf(ref), controllerName, conditions };
}
