import { anyHost, type ObjectByKind } from '../../gateway-api/index.ts';

/** A listener as its owner declares it. */
export type ListenerSpec = ObjectByKind['Gateway' | 'ListenerSet']['spec']['listeners'][number];

/** The kinds of route that a listener of a protocol can serve. A map: a protocol may have the name of a method. Source: Gateway API, ProtocolType. */
export const kindsByProtocol: ReadonlyMap<string, readonly string[]> = new Map([
  ['HTTP', ['HTTPRoute', 'GRPCRoute']],
  ['HTTPS', ['HTTPRoute', 'GRPCRoute']],
  ['TLS', ['TLSRoute']],
  ['TCP', ['TCPRoute']],
  ['UDP', ['UDPRoute']],
]);

/** Hostnames separate listeners of one family on one port. TCP and UDP know no hostnames. */
export const portFamilyOf = (protocol: string): string =>
  protocol === 'HTTPS' || protocol === 'TLS' ? 'HTTPS or TLS' : protocol;
export const knowsHostnames = (protocol: string): boolean => protocol !== 'TCP' && protocol !== 'UDP';

/** Whether TLS ends at this listener. */
export const terminatesTls = ({ protocol, tls }: ListenerSpec): boolean =>
  (protocol === 'HTTPS' || protocol === 'TLS') && (tls?.mode ?? 'Terminate') === 'Terminate';

/** Lower case; `*` when the listener has none or its protocol knows none. */
export const hostnameOf = ({ protocol, hostname }: ListenerSpec): string =>
  (knowsHostnames(protocol) && hostname?.toLowerCase()) || anyHost;

/** Whether requests go through it, not connections or datagrams. */
export const isHttp = ({ protocol }: Pick<ListenerSpec, 'protocol'>): boolean =>
  protocol === 'HTTP' || protocol === 'HTTPS';
