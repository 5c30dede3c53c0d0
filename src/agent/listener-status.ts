import { formatAddress } from '../config/index.ts';
import { innerListenerPrefix, probeListener, protocolOfListener } from '../contracts/index.ts';
import { addressOfListener, typeUrls } from '../envoy/wire/index.ts';
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

/** The listeners that Envoy was sent, taken or rejected, and those it has open, by name. */
export function listenerStatuses(relay: Relay, active: readonly ActiveListener[]): ListenerStatus[] {
  const held = relay.types.get(typeUrls.listener)?.held;
  const sent = new Map([...(held?.rejected ?? []), ...(held?.resources ?? [])]);
  const open = new Map(active.map((listener) => [listener.name, listener]));
  const names = [...new Set([...sent.keys(), ...open.keys()])]
    // What the control plane only tries is not for clients.
    .filter((name) => !name.startsWith(innerListenerPrefix) && name !== probeListener)
    .sort();
  return names.map((name) => listenerStatus(name, sent.get(name), open.get(name)));
}

function listenerStatus(
  name: string,
  sent: WireResource | undefined,
  open: ActiveListener | undefined,
): ListenerStatus {
  const body = sent && resourceBody(sent);
  const desired = body && addressOfListener(body);
  const address = open?.addresses[0] ?? (desired ? formatAddress(desired) : '');
  return { name, address, protocol: protocolOf(name, desired?.udp ?? false), active: open !== undefined };
}

const named = ['http', 'https', 'http3', 'tls', 'tcp', 'udp'];

/** A listener's name begins with its protocol; Envoy itself does not know what a listener is for. */
function protocolOf(name: string, udp: boolean): string {
  const prefix = protocolOfListener(name);
  if (named.includes(prefix)) return prefix.toUpperCase();
  return udp ? 'UDP' : 'TCP';
}
