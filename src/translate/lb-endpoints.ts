import { HealthStatus } from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';

/*
 * `LocalityLbEndpoints.lb_endpoints`, put together by hand: a Service of thousands of pods is encoded anew whenever one of them comes or
 * goes, and messages to encode would be ten megabytes of garbage each time. Field numbers are those of
 * envoy/config/endpoint/v3/endpoint_components.proto and envoy/config/core/v3/address.proto.
 */

const lbEndpoints = 2;
const ofLbEndpoint = { endpoint: 1, healthStatus: 2 };
const ofEndpoint = { address: 1 };
const ofAddress = { socketAddress: 1 };
const ofSocketAddress = { address: 2, portValue: 3 };

/** Tags and lengths of the five messages around an address, its port and health. More than any endpoint needs. */
const aroundAddress = 32;

/** All of them as the repeated field `lb_endpoints`. Addresses are ASCII: of IP, or names. */
export function encodeLbEndpoints(endpoints: readonly ir.Endpoint[]): Uint8Array {
  const most = endpoints.reduce((sum, { address }) => sum + address.length + aroundAddress, 0);
  const writer = new Writer(Buffer.allocUnsafe(most));
  for (const { address, port, health } of endpoints) {
    const socketAddress = delimited(address.length) + 1 + varintLength(port);
    const inAddress = delimited(socketAddress);
    const inEndpoint = delimited(inAddress);
    const draining = health === 'draining';
    writer.begin(lbEndpoints, delimited(inEndpoint) + (draining ? 2 : 0));
    writer.begin(ofLbEndpoint.endpoint, inEndpoint);
    writer.begin(ofEndpoint.address, inAddress);
    writer.begin(ofAddress.socketAddress, socketAddress);
    writer.text(ofSocketAddress.address, address);
    writer.number(ofSocketAddress.portValue, port);
    if (draining) writer.number(ofLbEndpoint.healthStatus, HealthStatus.DRAINING);
  }
  return writer.written();
}

/** What a field of so many bytes takes with its tag and its length. */
const delimited = (length: number): number => 1 + varintLength(length) + length;

/** Of a number below 2²¹. */
const varintLength = (value: number): number => (value < 0x80 ? 1 : value < 0x4000 ? 2 : 3);

/** Fields one after the other. */
class Writer {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** A message's tag and length. */
  begin(field: number, length: number): void {
    this.#varint((field << 3) | 2);
    this.#varint(length);
  }

  text(field: number, text: string): void {
    this.begin(field, text.length);
    this.#at += this.#bytes.write(text, this.#at, 'latin1');
  }

  number(field: number, value: number): void {
    this.#varint(field << 3);
    this.#varint(value);
  }

  /** A copy: what was reserved is more. */
  written(): Uint8Array {
    return Uint8Array.from(this.#bytes.subarray(0, this.#at));
  }

  #varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#at++] = rest;
  }
}
