import { type Condition, type GatewayStatus, keyOf, type ObjectByKind } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { addressFault, unsupportedAddress } from './addresses.ts';
import { type ClientCertificate, settleClientCertificate } from './client-certificate.ts';
import { conditionOf, type Fault } from './condition.ts';
import { allowsInsecureClients } from './frontend-tls.ts';
import { listenerStatus, type SettledListener, settleListeners, sharePort, terminatesTls } from './listener.ts';
import type { Store } from './store.ts';

/** What the outside tells of a Gateway's data plane. */
export interface DataPlaneState {
  readonly addresses: GatewayStatus['addresses'];
  /** Says what is missing when there is no address. */
  readonly message: string;
}

/** Where a Gateway's proxies bind a port. */
export type Binder = (gateway: ObjectByKind['Gateway'], port: number) => ir.BindAddress;

/** The listeners behind one ir.RouteTable, and those whose hosts it must leave alone. */
export interface TableShape {
  readonly id: string;
  /** The Gateway listeners whose routes live here. */
  readonly own: readonly SettledListener[];
  /** Every listener that shares the port, `own` among them: the most specific one owns a host. */
  readonly port: readonly SettledListener[];
  /** Hosts of other listeners are answered 421 here (they have connections of their own), not 404. */
  readonly misdirects: boolean;
}

/** The listener behind one ir.StreamTable, and those whose hosts it must leave alone. */
export interface StreamShape {
  readonly id: string;
  readonly own: SettledListener;
  /** Every listener that shares the port, `own` among them: the most specific one owns a host. */
  readonly port: readonly SettledListener[];
}

/** One Gateway of a class of ours, all settled but its routes. */
export interface SettledGateway {
  readonly key: string;
  readonly object: ObjectByKind['Gateway'];
  readonly listeners: readonly SettledListener[];
  readonly irListeners: ReadonlyMap<string, ir.Listener>;
  readonly tables: ReadonlyMap<string, TableShape>;
  readonly streams: ReadonlyMap<string, StreamShape>;
  readonly secrets: ReadonlyMap<string, ir.Secret>;
  /** Keys of the backends that listeners themselves use. */
  readonly backends: readonly string[];
  /** What its proxies show to backends with TLS, if anything. */
  readonly clientCertificate?: ClientCertificate;
  /** Changes when routes may attach differently or have other backends, and only then. */
  readonly attachSignature: string;
}

export function settleGateway(object: ObjectByKind['Gateway'], store: Store, bind: Binder): SettledGateway {
  const listeners = settleListeners(object, store);
  const serving = listeners.filter(({ serves }) => serves);
  const clientCertificate = settleClientCertificate(object, store);
  const secrets = [
    ...serving.flatMap((listener) => listener.secrets),
    ...(clientCertificate && 'secret' in clientCertificate ? [clientCertificate.secret] : []),
  ];
  return {
    key: keyOf(object),
    object,
    listeners,
    irListeners: irListenersOf(object, serving, bind),
    tables: tablesOf(serving),
    streams: streamsOf(serving),
    backends: [...new Set(serving.flatMap(({ auths = [] }) => auths.flatMap(({ backend }) => backend ?? [])))],
    secrets: new Map(secrets.map((secret) => [secret.key, secret] as const)),
    ...(clientCertificate && { clientCertificate }),
    attachSignature: JSON.stringify([
      clientCertificateKey({ clientCertificate }),
      listeners.map(({ name, port, protocol, hostname, table, supportedKinds, auths, spec }) => [
        [name, port, protocol, hostname, table, supportedKinds, terminatesTls(spec), spec.allowedRoutes?.namespaces],
        auths,
      ]),
    ]),
  };
}

/** Key of the ir.Secret that a Gateway's proxies show to backends: part of what tells its backends from others'. */
export const clientCertificateKey = ({
  clientCertificate,
}: {
  readonly clientCertificate?: ClientCertificate | undefined;
}): string | undefined =>
  clientCertificate && 'secret' in clientCertificate ? clientCertificate.secret.key : undefined;

function irListenersOf(
  object: ObjectByKind['Gateway'],
  serving: readonly SettledListener[],
  bind: Binder,
): Map<string, ir.Listener> {
  const entries = serving.map((listener): [string, ir.Listener] | undefined => {
    const members = serving.filter((other) => sharePort(other, listener));
    if (members[0] !== listener) return undefined;
    const { protocol, port } = members.find((member) => isHttp(member)) ?? listener;
    const key = `${protocol.toLowerCase()}/${port}`;
    const transport = protocol === 'UDP' ? 'udp' : 'tcp';
    return [key, { key, transport, bind: bind(object, port), chains: chainsOf(members) }];
  });
  return new Map(entries.filter((entry) => entry !== undefined));
}

const isHttp = ({ protocol }: SettledListener): boolean => protocol === 'HTTP' || protocol === 'HTTPS';

function chainsOf(members: readonly SettledListener[]): ir.Chain[] {
  const [first] = members;
  const asksFirst = (some: readonly SettledListener[]) =>
    some.some(({ auths }) => auths) && { asksFirst: true as const };
  if (first?.protocol === 'HTTP')
    return [{ kind: 'http', name: 'http', table: first.table as string, ...asksFirst(members) }];
  return members.map((member): ir.Chain => {
    const { name, hostname, certificates, clients, protocol, spec } = member;
    const table = member.table as string;
    const tls = { serverNames: hostname === '*' ? [] : [hostname], certificates, ...(clients && { clients }) };
    if (isHttp(member)) return { kind: 'http', name, table, tls, ...asksFirst([member]) };
    return { kind: 'stream', name, table, sni: protocol === 'TLS', ...(terminatesTls(spec) && { tls }) };
  });
}

function tablesOf(serving: readonly SettledListener[]): Map<string, TableShape> {
  const tables = Map.groupBy(serving.filter(isHttp), ({ table }) => table as string);
  const shapes = [...tables].map(([id, own]): [string, TableShape] => {
    const first = own[0] as SettledListener;
    const port = serving.filter((other) => sharePort(other, first));
    return [id, { id, own, port, misdirects: first.protocol === 'HTTPS' }];
  });
  return new Map(shapes);
}

function streamsOf(serving: readonly SettledListener[]): Map<string, StreamShape> {
  const shapes = serving
    .filter((listener) => !isHttp(listener))
    .map((own): [string, StreamShape] => {
      const id = own.table as string;
      return [id, { id, own, port: serving.filter((other) => sharePort(other, own)) }];
    });
  return new Map(shapes);
}

/** What a Gateway's status depends on besides its own settling. */
export interface GatewayCircumstances {
  readonly dataPlane: DataPlaneState | undefined;
  /** A proxy of the Gateway has applied its listeners as they are now. */
  readonly acknowledged: boolean;
  readonly attachedRoutes: (listener: string) => number;
}

/** The status we wish the Gateway to have. Source: Gateway API, GatewayStatus, GEP-1364. */
export function gatewayStatus(gateway: SettledGateway, circumstances: GatewayCircumstances): GatewayStatus {
  const generation = gateway.object.metadata.generation ?? 0;
  const unsupported = unsupportedAddress(gateway.object);
  const accept = unsupported ? { fault: unsupported } : acceptance(gateway.listeners);
  const programmed = accept.fault
    ? { reason: 'Invalid', message: accept.fault.message }
    : programmedFault(gateway, circumstances);
  return {
    kind: 'Gateway',
    addresses: circumstances.dataPlane?.addresses ?? [],
    conditions: [
      conditionOf('Accepted', generation, accept.fault, accept.good),
      conditionOf('Programmed', generation, programmed),
      ...tlsConditions(gateway, generation),
    ],
    listeners: gateway.listeners.map((listener) =>
      listenerStatus(listener, generation, circumstances.attachedRoutes(listener.name), programmed),
    ),
  };
}

/** Said only where the Gateway has a wish. Source: GatewayConditionResolvedRefs, GatewayConditionInsecureFrontendValidationMode. */
function tlsConditions({ object, clientCertificate }: SettledGateway, generation: number): Condition[] {
  const fault = clientCertificate && 'fault' in clientCertificate ? clientCertificate.fault : undefined;
  return [
    ...(clientCertificate ? [conditionOf('ResolvedRefs', generation, fault)] : []),
    ...(allowsInsecureClients(object)
      ? [
          conditionOf('InsecureFrontendValidationMode', generation, undefined, {
            reason: 'ConfigurationChanged',
            message: 'Clients without a valid certificate are let in by mode AllowInsecureFallback of tls.frontend',
          }),
        ]
      : []),
  ];
}

function acceptance(listeners: readonly SettledListener[]): { readonly fault?: Fault; readonly good?: Fault } {
  const wrong = listeners.filter(({ acceptFault, referenceFault }) => acceptFault ?? referenceFault);
  if (wrong.length === 0) return {};
  const detail = wrong
    .map(({ name, acceptFault, referenceFault }) => `${name}: ${(acceptFault ?? referenceFault)?.message}`)
    .join('; ');
  const verdict = { reason: 'ListenersNotValid', message: `Listeners with problems: ${detail}` };
  return listeners.some(({ serves }) => serves) ? { good: verdict } : { fault: verdict };
}

function programmedFault(
  { object }: SettledGateway,
  { dataPlane, acknowledged }: GatewayCircumstances,
): Fault | undefined {
  const fault = addressFault(object, dataPlane?.addresses ?? [], dataPlane?.message);
  if (fault) return fault;
  if (!acknowledged) return { reason: 'Pending', message: 'No proxy of this Gateway has applied its listeners yet' };
  return undefined;
}
