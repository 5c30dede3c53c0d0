import { messagesIn, readFields } from './read-fields.ts';

/** `envoy.config.core.v3.SocketAddress`, of which the port may be missing. */
export interface WireSocketAddress {
  readonly host: string;
  readonly port: number;
  readonly udp: boolean;
}

const udp = 1;

/** The socket address in an encoded `envoy.config.core.v3.Address`; undefined when it is of another kind. Throws when the bytes are no message. */
export function readSocketAddress(address: Uint8Array): WireSocketAddress | undefined {
  const socket = messagesIn(address, 1).at(-1);
  if (!socket) return undefined;
  let [host, port, protocol] = ['', 0, 0];
  readFields(socket, (no, _wireType, reader) => {
    if (no === 1) protocol = reader.int32();
    else if (no === 2) host = reader.string();
    else if (no === 3) port = reader.uint32();
    else return false;
    return true;
  });
  return { host, port, udp: protocol === udp };
}

/** Where a `envoy.config.listener.v3.Listener` listens; undefined when that is no socket. Throws when the bytes are no message. */
export function addressOfListener(listener: Uint8Array): WireSocketAddress | undefined {
  const address = messagesIn(listener, 2).at(-1);
  return address && readSocketAddress(address);
}

/** The endpoints of a `envoy.config.endpoint.v3.ClusterLoadAssignment`, in its order. Throws when the bytes are no message. */
export function addressesOfAssignment(assignment: Uint8Array): WireSocketAddress[] {
  const localities = messagesIn(assignment, 2);
  const members = localities.flatMap((locality) => messagesIn(locality, 2));
  const addresses = members.flatMap((member) => messagesIn(member, 1)).flatMap((endpoint) => messagesIn(endpoint, 1));
  return addresses.flatMap((address) => readSocketAddress(address) ?? []);
}
