import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { HealthStatus } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';

/*
 * `LocalityLbEndpoints.lb_endpoints`, put together by hand: a Service of thousands of pods is encoded again whenever one of them comes or
 * goes, and messages to encode would be ten megabytes of garbage each time. Field numbers are those of
 * envoy/config/endpoint/v3/endpoint_components.proto and envoy/config/core/v3/address.proto.
 */

const lbEndpoints = 2;
const ofLbEndpoint = { endpoint: 1, healthStatus: 2 };
const ofEndpoint = { address: 1, healthCheckConfig: 2 };
const ofHealthCheckConfig = { portValue: 1 };
const ofAddress = { socketAddress: 1 };
const ofSocketAddress = { address: 2, portValue: 3 };

/** All of them as the repeated field `lb_endpoints`. Addresses are ASCII: of IP, or names. `checkPort`: where their health is asked for, if that is another port. */
export function encodeLbEndpoints(endpoints: readonly ir.Endpoint[], checkPort?: number): Uint8Array {
  const writer = new BinaryWriter();
  for (const { address, port, health } of endpoints) {
    const socketAddress = delimited(address.length) + 1 + varintLength(port);
    const inAddress = delimited(socketAddress);
    const healthCheckConfig = checkPort === undefined ? 0 : 1 + varintLength(checkPort);
    const inEndpoint = delimited(inAddress) + (healthCheckConfig === 0 ? 0 : delimited(healthCheckConfig));
    const draining = health === 'draining';
    begin(writer, lbEndpoints, delimited(inEndpoint) + (draining ? 2 : 0));
    begin(writer, ofLbEndpoint.endpoint, inEndpoint);
    begin(writer, ofEndpoint.address, inAddress);
    begin(writer, ofAddress.socketAddress, socketAddress);
    writer.tag(ofSocketAddress.address, WireType.LengthDelimited).string(address);
    writer.tag(ofSocketAddress.portValue, WireType.Varint).uint32(port);
    if (checkPort !== undefined) {
      begin(writer, ofEndpoint.healthCheckConfig, healthCheckConfig);
      writer.tag(ofHealthCheckConfig.portValue, WireType.Varint).uint32(checkPort);
    }
    if (draining) writer.tag(ofLbEndpoint.healthStatus, WireType.Varint).int32(HealthStatus.DRAINING);
  }
  return writer.finish();
}

/** A message's tag and length; its content follows. */
function begin(writer: BinaryWriter, field: number, length: number): void {
  writer.tag(field, WireType.LengthDelimited).uint32(length);
}

/** What a field of so many bytes takes with its tag and its length. */
const delimited = (length: number): number => 1 + varintLength(length) + length;

/** Of a number below 2²¹. */
const varintLength = (value: number): number => (value < 0x80 ? 1 : value < 0x4000 ? 2 : 3);
