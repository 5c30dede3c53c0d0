import { keyOf, type ListenerStatus, type ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type { Store } from '../engine/index.ts';
import { resolveListenerFilters } from '../filters/index.ts';
import {
  type ConditionFault,
  combineFaults,
  hostnameFault,
  hostnameOf,
  kindsByProtocol,
  type ListenerOwnerObject,
  type ListenerSpec,
  listenerId,
  ownerOfListeners,
  type ResolvedListener,
  terminatesTls,
} from '../model/index.ts';
import { resolveClients } from './frontend-tls.ts';
import { resolveCertificates } from './listener-certificates.ts';
import { isNamespaceAllowed } from './namespace-filter.ts';

const group = 'gateway.networking.k8s.io';

/**
 * Resolves one listener of a Gateway or of its ListenerSets. `conflict`: another listener displaces it. `shared`: other
 * Gateways may have listeners on the same proxies.
 */
export function resolveListener(
  {
    gateway,
    owner,
    shared,
  }: {
    readonly gateway: ObjectByKind['Gateway'];
    readonly owner: ListenerOwnerObject;
    readonly shared: boolean;
  },
  spec: ListenerSpec,
  conflict: ConditionFault | undefined,
  store: Store,
): ResolvedListener {
  // How clients are checked is the Gateway's word for the port, also where a ListenerSet opened it.
  const clients = terminatesTls(spec) ? resolveClients(gateway, spec.port, store) : {};
  const filters = resolveListenerFilters({ gateway, owner: ownerOfListeners(owner) }, spec, store);
  const acceptFault = [
    conflict ?? protocolFault(spec) ?? hostFault(spec) ?? tlsModeFault(spec),
    clients.acceptFault ?? filters.acceptFault,
  ].find((fault) => fault !== undefined);
  const kinds = resolveKinds(spec);
  const tls = resolveCertificates({ gateway, owner }, spec, store);
  const serves = acceptFault === undefined;
  const id = listenerId(owner, spec.name);
  const place = shared ? `${keyOf(gateway)}/${id}` : id;
  return {
    id,
    place,
    gateway: keyOf(gateway),
    name: spec.name,
    owner: ownerOfListeners(owner),
    port: spec.port,
    protocol: spec.protocol,
    hostname: hostnameOf(spec),
    supportedKinds: kinds.supported,
    acceptFault,
    conflict,
    referenceFault: combineFaults(
      [kinds.fault, tls.fault, clients.referenceFault, filters.referenceFault].flatMap((fault) => fault ?? []),
    ),
    serves,
    table: serves ? tableOf(spec, place) : undefined,
    certificates: tls.certificates,
    ...(clients.clients && { clients: clients.clients }),
    ...(filters.preRoutingAuth && { preRoutingAuth: filters.preRoutingAuth }),
    certificateRefs: tls.references,
    secrets: tls.secrets,
    spec,
  };
}

/** HTTP listeners of a port share one table, for Envoy sees only the Host; every other listener has its own, chosen by SNI or port. */
const tableOf = ({ protocol, port }: ListenerSpec, place: string): string =>
  protocol === 'HTTP' ? `http/${port}` : `${protocol.toLowerCase()}/${port}/${place}`;

// A listener that another Gateway's listener displaces stays the same object while nothing of that changes. Its dependants
// decide by identity whether they are resolved again.
const variants = new WeakMap<ResolvedListener, { readonly key: string; readonly listener: ResolvedListener }>();

interface Company {
  /** Another listener of these proxies keeps it from serving. */
  readonly conflict: ConditionFault | undefined;
  /** Other proxies of the machine have its port. */
  readonly portFault: ConditionFault | undefined;
  /** Those whose hosts it shares. */
  readonly overlaps: readonly string[] | undefined;
  /** For ResolvedListener.rawPaths. */
  readonly rawPaths: string | undefined;
  /** For ResolvedListener.crowded. */
  readonly crowded: readonly ir.TableLevel[] | undefined;
  /** For ResolvedListener.unpatched. */
  readonly unpatched: boolean;
}

/** The listener as it is among all others of its proxies, and beside other proxies. */
export function listenerAmong(
  listener: ResolvedListener,
  { conflict, portFault, overlaps, rawPaths, crowded, unpatched }: Company,
): ResolvedListener {
  const fault = conflict ?? portFault;
  if (!fault && !overlaps && !crowded && !unpatched && rawPaths === undefined) return listener;
  const key = JSON.stringify([conflict, fault, overlaps, rawPaths, crowded, unpatched]);
  const known = variants.get(listener);
  if (known?.key === key) return known.listener;
  const closed = fault && { acceptFault: fault, serves: false, table: undefined };
  const made = {
    ...listener,
    ...closed,
    ...(conflict && { conflict }),
    ...(overlaps && { overlaps }),
    ...(rawPaths !== undefined && { rawPaths }),
    ...(crowded && { crowded }),
    ...(unpatched && { unpatched }),
  } as ResolvedListener;
  variants.set(listener, { key, listener: made });
  return made;
}

function protocolFault({ protocol }: ListenerSpec): ConditionFault | undefined {
  if (kindsByProtocol.has(protocol)) return undefined;
  const known = [...kindsByProtocol.keys()].join(', ');
  return { reason: 'UnsupportedProtocol', message: `Protocol ${protocol} is not supported: use one of ${known}` };
}

function hostFault(spec: ListenerSpec): ConditionFault | undefined {
  const message = hostnameFault(hostnameOf(spec));
  return message === undefined ? undefined : { reason: 'Invalid', message };
}

function tlsModeFault({ protocol, tls }: ListenerSpec): ConditionFault | undefined {
  if (protocol === 'TLS' && !tls)
    return { reason: 'Invalid', message: 'A TLS listener needs tls.mode Passthrough, or tls.certificateRefs' };
  if (protocol !== 'HTTPS') return undefined;
  if (!tls) return { reason: 'Invalid', message: 'An HTTPS listener needs tls.certificateRefs' };
  if ((tls.mode ?? 'Terminate') === 'Terminate') return undefined;
  return {
    reason: 'Invalid',
    message: `tls.mode ${tls.mode} does not go with protocol HTTPS: use Terminate, or protocol TLS`,
  };
}

function resolveKinds(spec: ListenerSpec): { supported: ListenerStatus['supportedKinds']; fault?: ConditionFault } {
  const possible = kindsByProtocol.get(spec.protocol) ?? [];
  const asked = spec.allowedRoutes?.kinds ?? [];
  if (asked.length === 0) return { supported: possible.map((kind) => ({ group, kind })) };
  const isPossible = (entry: { group?: string; kind: string }) =>
    (entry.group ?? group) === group && possible.includes(entry.kind);
  const wrong = asked.filter((entry) => !isPossible(entry)).map((entry) => entry.kind);
  const supported = asked.filter(isPossible).map(({ kind }) => ({ group, kind }));
  if (wrong.length === 0) return { supported };
  const message = `allowedRoutes.kinds names ${wrong.join(', ')}, which a listener of protocol ${spec.protocol} cannot serve; it can serve ${possible.join(', ') || 'none'}`;
  return { supported, fault: { reason: 'InvalidRouteKinds', message } };
}

/** Whether routes of a namespace may attach. Source: Gateway API, AllowedRoutes.namespaces. */
export function allowsNamespace({ owner, spec }: ResolvedListener, namespace: string, store: Store): boolean {
  const { from = 'Same', selector } = spec.allowedRoutes?.namespaces ?? {};
  return isNamespaceAllowed({ from, selector }, owner.namespace, namespace, store);
}

/** Whether the listener's answer to `allowsNamespace` depends on labels of namespaces. */
export const selectsNamespaces = (spec: ListenerSpec): boolean => spec.allowedRoutes?.namespaces?.from === 'Selector';
