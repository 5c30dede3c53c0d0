import { fromBinary } from '@bufbuild/protobuf';
import { formatAddress } from '../config/index.ts';
import { ListenerSchema, SocketAddress_Protocol, typeUrls } from '../envoy/index.ts';
import { innerListenerPrefix } from '../ir/index.ts';
import type { ActiveListener } from './envoy/envoy-admin.ts';
import { type Relay, resourceBody, type WireResource } from './relay/index.ts';

/** One listener the configuration asks for, or that Envoy still has open. */
export interface ListenerStatus {
  /** Such as `http/80`. */
  readonly name: string;
  /** `host:port`. */
  readonly address: string;
  /** `HTTP`, `HTTPS`, `HTTP3`, `TLS`, `TCP` or `UDP`. */
  readonly protocol: string;
  /** Envoy is bound to the address. */
  readonly active: boolean;
}

/** The listeners that Envoy was sent, taken or refused, and those it has open, by name. */
export function listenerStatuses(relay: Relay, active: readonly ActiveListener[]): ListenerStatus[] {
  const held = relay.types.get(typeUrls.listener)?.held;
  const sent = new Map([...(held?.refused ?? []), ...(held?.resources ?? [])]);
  const open = new Map(active.map((listener) => [listener.name, listener]));
  const names = [...new Set([...sent.keys(), ...open.keys()])]
    .filter((name) => !name.startsWith(innerListenerPrefix))
    .sort();
  return names.map((name) => listenerStatus(name, sent.get(name), open.get(name)));
}

function listenerStatus(
  name: string,
  sent: WireResource | undefined,
  open: ActiveListener | undefined,
): ListenerStatus {
  const wish = sent && socketOf(sent);
  const address = open?.addresses[0] ?? (wish ? formatAddress({ host: wish.address, port: wish.port }) : '');
  return { name, address, protocol: protocolOf(name, wish?.udp ?? false), active: open !== undefined };
}

interface Socket {
  readonly address: string;
  readonly port: number;
  readonly udp: boolean;
}

function socketOf(listener: WireResource): Socket | undefined {
  const body = resourceBody(listener);
  const address = body && fromBinary(ListenerSchema, body).address?.address;
  if (address?.case !== 'socketAddress') return undefined;
  const { address: host, protocol, portSpecifier } = address.value;
  const port = portSpecifier.case === 'portValue' ? portSpecifier.value : 0;
  return { address: host, port, udp: protocol === SocketAddress_Protocol.UDP };
}

const named = ['http', 'https', 'http3', 'tls', 'tcp', 'udp'];

/** A listener's name begins with its protocol; Envoy itself does not know what a listener is for. */
function protocolOf(name: string, udp: boolean): string {
  const [prefix = ''] = name.split('/');
  if (named.includes(prefix)) return prefix.toUpperCase();
  return udp ? 'UDP' : 'TCP';
}
