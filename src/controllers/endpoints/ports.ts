import type { ObjectByKind, ServicePort } from '../../gateway-api/index.ts';
import {
  type BackendKeyParts,
  type BackendUser,
  backendKey,
  type ResolvedBackend,
  type Transport,
  transportOf,
} from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';

/** What has ports that are backends. */
type WithPorts = ObjectByKind['Service'] | ObjectByKind['ServiceImport'];

/** How requests travel to a port. Source: GEP-1911, the standard appProtocol values. WebSocket is HTTP/1.1 with an upgrade. */
export const protocolOf = ({ appProtocol }: ServicePort): ir.BackendProtocol =>
  appProtocol === 'kubernetes.io/h2c' ? 'h2c' : 'http1';

/** How one backend of a port is spoken to. */
export function protocolFor(
  { transport, stream, http2, picker }: BackendKeyParts,
  port: ServicePort,
): ir.BackendProtocol {
  if (transport === 'UDP') return 'udp';
  if (stream) return 'tcp';
  return http2 || picker ? 'h2c' : protocolOf(port);
}

/** Where a reference to a port of an object leads. */
export function keyOfPort(
  { kind, metadata: { name, namespace = '' }, spec }: WithPorts,
  { source, port }: { readonly source?: ir.BackendSource; readonly port: number | undefined },
  { kind: userKind, variant = {} }: BackendUser,
): ResolvedBackend {
  const transport: Transport = userKind === 'UDPRoute' ? 'UDP' : 'TCP';
  const fault = (message: string): ResolvedBackend => ({ fault: { reason: 'BackendNotFound', message } });
  const what = `${kind} ${namespace}/${name}`;
  if (port === undefined) return fault(`backendRef ${name} has no port: name one of ${what}`);
  const found = spec.ports?.find((entry) => entry.port === port && transportOf(entry) === transport);
  if (found) {
    // Where the port says HTTP/2 by itself, all can share one backend.
    const http2 = variant.http2 === true && protocolOf(found) !== 'h2c';
    return { key: backendKey(namespace, name, port, { ...variant, http2, transport, source }) };
  }
  const text = (number: number, of: Transport) => `${number}${of === 'UDP' ? '/UDP' : ''}`;
  const ports = spec.ports?.map((entry) => text(entry.port, transportOf(entry))).join(', ') || 'none';
  return fault(`${what} has no port ${text(port, transport)}: it has ${ports}`);
}
