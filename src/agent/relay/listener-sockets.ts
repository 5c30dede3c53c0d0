import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { messagesIn, readFields } from '../../envoy/wire/index.ts';
import { type DeltaResponse, resourceBody, type WireResource } from './delta-messages.ts';
import { familyFields, type IpFamily } from './listener-family.ts';

/** `Resource.resource`, an `Any`. */
const anyField = 2;
/** `Any.value` */
const valueField = 2;
/** `Listener.enable_reuse_port`, a `BoolValue`. */
const reusePortField = 29;
/** `Listener.tcp_keepalive` */
const keepaliveField = 37;

export interface SocketOptions {
  /** Ports that listeners ask to be bound without `SO_REUSEPORT` are bound with it. False by default. */
  readonly reusePort?: boolean;
  /** Listeners that ask for all addresses of IPv4 get all of this family instead. `IPv4` by default. */
  readonly ipFamily?: IpFamily;
}

/** An encoded `BoolValue`. */
const yes = Uint8Array.of(8, 1);

/**
 * What listeners say of their sockets, as one Envoy can have it. Envoy allows no change of it while the port is open, and a control
 * plane leaves out a listener that is rejected, which closes it; so it is resolved when Envoy opens the port, and counts until that Envoy has ended:
 *
 * - `SO_REUSEPORT` is up to the process, since what it is good or bad for is whether others are on the same network;
 * - families of addresses are up to the process too, since they are those of its network;
 * - keepalive stays what it was when Envoy was first sent the listener.
 *
 * All else of a listener passes as it came.
 */
export class ListenerSockets {
  readonly #options: SocketOptions;
  /** By name of a listener; its keepalive as Envoy was sent it first, encoded. */
  readonly #keepalives = new Map<string, Uint8Array | undefined>();

  constructor(options: SocketOptions = {}) {
    this.#options = options;
  }

  /** Another Envoy, which has nothing open. */
  forget(): void {
    this.#keepalives.clear();
  }

  /** Listeners that are sent, as Envoy is to have them. */
  keepSockets(response: DeltaResponse): DeltaResponse {
    for (const name of response.removed) this.#keepalives.delete(name);
    return { ...response, resources: response.resources.map((listener) => this.#resolvedOrUnchanged(listener)) };
  }

  #resolvedOrUnchanged(listener: WireResource): WireResource {
    try {
      return this.#withKeptSocket(listener);
    } catch {
      // No message: for Envoy to reject, with its own words.
      return listener;
    }
  }

  #withKeptSocket(listener: WireResource): WireResource {
    const body = resourceBody(listener);
    if (!body) return listener;
    const keepalive = messagesIn(body, keepaliveField).at(-1);
    if (!this.#keepalives.has(listener.name))
      this.#keepalives.set(listener.name, keepalive && Uint8Array.from(keepalive));
    const before = this.#keepalives.get(listener.name);
    const { reusePort = false, ipFamily = 'IPv4' } = this.#options;
    const changes = [
      ...familyFields(body, ipFamily),
      ...(isSame(before, keepalive) ? [] : [{ field: keepaliveField, content: before }]),
      // One within Envoy, which binds nothing, must not say anything of it.
      ...(reusePort && bindsAlone(body) ? [{ field: reusePortField, content: yes }] : []),
    ];
    if (changes.length === 0) return listener;
    const changed = changes.reduce((bytes, { field, content }) => withField(bytes, field, content), body);
    return { ...listener, bytes: withField(listener.bytes, anyField, withField(anyOf(listener), valueField, changed)) };
  }
}

const isSame = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && Buffer.compare(one, other) === 0);

/** It asks for no `SO_REUSEPORT`. */
function bindsAlone(body: Uint8Array): boolean {
  const said = messagesIn(body, reusePortField).at(-1);
  if (!said) return false;
  let value = false;
  readFields(said, (no, _wireType, reader) => {
    if (no !== 1) return false;
    value = reader.bool();
    return true;
  });
  return !value;
}

const anyOf = (listener: WireResource): Uint8Array => messagesIn(listener.bytes, anyField).at(-1) ?? new Uint8Array();

/** A message with this content in a field, or without the field; all else stays as it came. */
function withField(message: Uint8Array, field: number, content: Uint8Array | undefined): Uint8Array {
  const reader = new BinaryReader(message);
  const writer = new BinaryWriter();
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    const data = reader.skip(wireType, no);
    if (no !== field) writer.tag(no, wireType).raw(data);
  }
  if (content) writer.tag(field, WireType.LengthDelimited).bytes(content);
  return writer.finish();
}
