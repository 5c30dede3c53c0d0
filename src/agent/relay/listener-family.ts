import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { addressOfListener, type WireSocketAddress } from '../../envoy/wire/index.ts';

/** The addresses on which an Envoy takes connections: of IPv4, of IPv6, or of both. */
export type IpFamily = 'IPv4' | 'IPv6' | 'DualStack';

/** A field of `envoy.config.listener.v3.Listener` in place of what it came with. */
export interface ListenerField {
  readonly field: number;
  readonly content: Uint8Array | undefined;
}

/** `Listener.address` */
const addressField = 2;
/** `Listener.additional_addresses` */
const additionalField = 33;

const everyIpv4 = '0.0.0.0';
/** Envoy binds it for IPv6 alone, so that both families can have a socket of their own. */
const everyIpv6 = '::';

/** Control planes ask for all addresses of IPv4. A listener that asks for one address keeps it, of whichever family it is. */
export function familyFields(listener: Uint8Array, family: IpFamily): ListenerField[] {
  if (family === 'IPv4') return [];
  const asked = addressOfListener(listener);
  if (asked?.host !== everyIpv4) return [];
  const other = encodedAddress({ ...asked, host: everyIpv6 });
  if (family === 'IPv6') return [{ field: addressField, content: other }];
  return [{ field: additionalField, content: message(1, other) }];
}

/** `envoy.config.core.v3.Address` */
function encodedAddress({ host, port, udp }: WireSocketAddress): Uint8Array {
  const socket = new BinaryWriter();
  if (udp) socket.tag(1, WireType.Varint).int32(1);
  socket.tag(2, WireType.LengthDelimited).string(host);
  socket.tag(3, WireType.Varint).uint32(port);
  return message(1, socket.finish());
}

const message = (field: number, content: Uint8Array): Uint8Array =>
  new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(content).finish();
