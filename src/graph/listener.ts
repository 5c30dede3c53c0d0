import { anyHost, type LabelSelector, type ListenerStatus, type ObjectByKind, selects } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { combineFaults, conditionOf, type Fault } from './condition.ts';
import { settleClients } from './frontend-tls.ts';
import { gatewaySecret } from './gateway-secret.ts';
import { settleListenerFilters } from './listener-filters.ts';
import type { Store } from './store.ts';
import type { ObjectReference } from './view.ts';

type GatewayObject = ObjectByKind['Gateway'];
export type ListenerSpec = GatewayObject['spec']['listeners'][number];

/** One listener of a Gateway with everything about it settled but the routes. */
export interface SettledListener {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  /** Lower case; `*` when the listener has none. */
  readonly hostname: string;
  /** Kinds that may attach; empty when none of the asked kinds is supported. */
  readonly supportedKinds: ListenerStatus['supportedKinds'];
  readonly acceptFault?: Fault;
  readonly conflict?: Fault;
  readonly referenceFault?: Fault;
  /** Without a fault, or with one that leaves the listener open: its port is bound. */
  readonly serves: boolean;
  /** The ir.RouteTable (for HTTP and HTTPS) or ir.StreamTable its routes live in; set when it serves. */
  readonly table?: string;
  /** Keys for ir.ChainTls.certificates. */
  readonly certificates: readonly string[];
  /** For ir.ChainTls.clients. */
  readonly clients?: ir.ChainClients;
  /** For ir.VirtualHost.asksFirst. */
  readonly auths?: readonly ir.ExternalAuth[];
  readonly certificateRefs: readonly ObjectReference[];
  readonly secrets: readonly ir.Secret[];
  readonly spec: ListenerSpec;
}

const group = 'gateway.networking.k8s.io';
const kindsByProtocol: Readonly<Record<string, readonly string[]>> = {
  HTTP: ['HTTPRoute', 'GRPCRoute'],
  HTTPS: ['HTTPRoute', 'GRPCRoute'],
  TLS: ['TLSRoute'],
  TCP: ['TCPRoute'],
  UDP: ['UDPRoute'],
};

/** Listeners of one port family are told apart by hostname on one port. TCP and UDP know no hostnames. */
const portFamilies: Readonly<Record<string, string>> = { HTTPS: 'HTTPS or TLS', TLS: 'HTTPS or TLS' };
const familyOf = (protocol: string): string => portFamilies[protocol] ?? protocol;
const knowsHostnames = (protocol: string): boolean => protocol !== 'TCP' && protocol !== 'UDP';

/** Whether two listeners of one port are one listener of the proxy, their connections told apart by SNI or Host. */
export const sharePort = (a: SettledListener, b: SettledListener): boolean =>
  a.port === b.port && familyOf(a.protocol) === familyOf(b.protocol);

/** Whether TLS ends at this listener. */
export const terminatesTls = ({ protocol, tls }: ListenerSpec): boolean =>
  (protocol === 'HTTPS' || protocol === 'TLS') && (tls?.mode ?? 'Terminate') === 'Terminate';

/** Settles the listeners of one Gateway together, because they can be in each other's way. */
export function settleListeners(gateway: GatewayObject, store: Store): SettledListener[] {
  const { listeners } = gateway.spec;
  return listeners.map((spec) => settleListener(gateway, spec, store, conflictOf(spec, listeners)));
}

function settleListener(
  gateway: GatewayObject,
  spec: ListenerSpec,
  store: Store,
  conflict: Fault | undefined,
): SettledListener {
  const clients = terminatesTls(spec) ? settleClients(gateway, spec.port, store) : {};
  const filters = settleListenerFilters(gateway, spec, store);
  const acceptFault =
    conflict ?? protocolFault(spec) ?? tlsModeFault(spec) ?? clients.acceptFault ?? filters.acceptFault;
  const kinds = settleKinds(spec);
  const tls = settleCertificates(gateway, spec, store);
  const serves = acceptFault === undefined;
  return {
    name: spec.name,
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
    table: serves ? tableOf(spec) : undefined,
    certificates: tls.certificates,
    ...(clients.clients && { clients: clients.clients }),
    ...(filters.auths && { auths: filters.auths }),
    certificateRefs: tls.references,
    secrets: tls.secrets,
    spec,
  };
}

/** HTTP listeners of a port share one table, for Envoy sees only the Host; every other listener has its own, chosen by SNI or port. */
const tableOf = ({ protocol, port, name }: ListenerSpec): string =>
  protocol === 'HTTP' ? `http/${port}` : `${protocol.toLowerCase()}/${port}/${name}`;

const hostnameOf = ({ protocol, hostname }: ListenerSpec): string =>
  (knowsHostnames(protocol) && hostname?.toLowerCase()) || anyHost;

function protocolFault({ protocol }: ListenerSpec): Fault | undefined {
  if (kindsByProtocol[protocol]) return undefined;
  const known = Object.keys(kindsByProtocol).join(', ');
  return { reason: 'UnsupportedProtocol', message: `Protocol ${protocol} is not supported: use one of ${known}` };
}

function tlsModeFault({ protocol, tls }: ListenerSpec): Fault | undefined {
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

/**
 * Listeners that cannot be told apart are all refused, for choosing a winner is not allowed within one Gateway.
 * Source: Gateway API, GatewaySpec.listeners on distinctness.
 */
function conflictOf(spec: ListenerSpec, listeners: readonly ListenerSpec[]): Fault | undefined {
  for (const other of listeners) {
    if (other === spec || other.port !== spec.port) continue;
    // UDP ports are numbered apart from those of TCP.
    if ((other.protocol === 'UDP') !== (spec.protocol === 'UDP')) continue;
    if (familyOf(other.protocol) !== familyOf(spec.protocol) || !knowsHostnames(spec.protocol)) {
      const message = `Port ${spec.port} is also used by listener ${other.name} with protocol ${other.protocol}: give one of them another port`;
      return { reason: 'ProtocolConflict', message };
    }
    if (hostnameOf(other) === hostnameOf(spec)) {
      const message = `Listener ${other.name} has the same port and hostname: change one of them`;
      return { reason: 'HostnameConflict', message };
    }
  }
  return undefined;
}

function settleKinds(spec: ListenerSpec): { supported: ListenerStatus['supportedKinds']; fault?: Fault } {
  const possible = kindsByProtocol[spec.protocol] ?? [];
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

interface SettledCertificates {
  readonly certificates: readonly string[];
  readonly references: readonly ObjectReference[];
  readonly secrets: readonly ir.Secret[];
  readonly fault?: Fault;
}

function settleCertificates(gateway: GatewayObject, spec: ListenerSpec, store: Store): SettledCertificates {
  const references = certificateRefsOf(gateway, spec);
  if (!terminatesTls(spec)) {
    return { certificates: [], references, secrets: [] };
  }
  const secrets: ir.Secret[] = [];
  const faults: Fault[] = [];
  for (const [index, reference] of references.entries()) {
    const found = resolveCertificate(gateway, reference, spec.tls?.certificateRefs?.[index]?.group ?? '', store);
    if ('fault' in found) faults.push(found.fault);
    else secrets.push(found.secret);
  }
  if (references.length === 0) {
    faults.push({
      reason: 'InvalidCertificateRef',
      message: 'tls.certificateRefs is empty: name a Secret with the certificate',
    });
  }
  // The name of a secret that never comes: Envoy then opens the listener and fails its handshakes, and no other chain
  // of the port takes over the host with a certificate of its own.
  const certificates = secrets.length > 0 ? secrets.map(({ key }) => key) : [`unresolved/${spec.name}`];
  return { certificates, references, secrets, fault: combineFaults(faults) };
}

/** The Secrets a listener names, wherever they lead. */
export function certificateRefsOf(gateway: GatewayObject, spec: ListenerSpec): ObjectReference[] {
  return (spec.tls?.certificateRefs ?? []).map(({ kind = 'Secret', namespace, name }) => ({
    kind,
    namespace: namespace ?? gateway.metadata.namespace ?? '',
    name,
  }));
}

function resolveCertificate(
  gateway: GatewayObject,
  { kind, namespace, name }: ObjectReference,
  refGroup: string,
  store: Store,
): { readonly secret: ir.Secret } | { readonly fault: Fault } {
  const reason = 'InvalidCertificateRef';
  if (kind === 'Secret' && refGroup === '') return gatewaySecret(gateway, { namespace, name, reason }, store);
  return { fault: { reason, message: `certificateRefs names a ${kind} ${name}: only core Secrets are supported` } };
}

/** Whether routes of a namespace may attach. Source: Gateway API, AllowedRoutes.namespaces. */
export function allowsNamespace(gateway: GatewayObject, spec: ListenerSpec, namespace: string, store: Store): boolean {
  const { from = 'Same', selector } = spec.allowedRoutes?.namespaces ?? {};
  if (from === 'All') return true;
  if (from === 'Same') return namespace === gateway.metadata.namespace;
  if (from !== 'Selector' || !selector) return false;
  return selects(selector as LabelSelector, store.find('Namespace', namespace)?.metadata.labels);
}

/** Whether the listener's answer to `allowsNamespace` depends on labels of namespaces. */
export const selectsNamespaces = (spec: ListenerSpec): boolean => spec.allowedRoutes?.namespaces?.from === 'Selector';

/** The conditions of one listener. `programmed` is the fault of the whole Gateway's data plane, if any. */
export function listenerStatus(
  listener: SettledListener,
  generation: number,
  attachedRoutes: number,
  programmed: Fault | undefined,
): ListenerStatus {
  const { acceptFault, conflict, referenceFault } = listener;
  const invalid = acceptFault ?? referenceFault;
  const programFault = invalid ? { reason: 'Invalid', message: invalid.message } : programmed;
  return {
    name: listener.name,
    supportedKinds: listener.supportedKinds,
    attachedRoutes,
    conditions: [
      conditionOf('Accepted', generation, acceptFault),
      conflict
        ? {
            type: 'Conflicted',
            status: 'True',
            reason: conflict.reason,
            message: conflict.message,
            observedGeneration: generation,
          }
        : { type: 'Conflicted', status: 'False', reason: 'NoConflicts', message: '', observedGeneration: generation },
      conditionOf('ResolvedRefs', generation, referenceFault),
      conditionOf('Programmed', generation, programFault),
    ],
  };
}
