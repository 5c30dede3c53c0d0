import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import fc from 'fast-check';
import {
  ClusterLoadAssignmentSchema,
  HealthStatus,
  type LocalityLbEndpointsSchema,
} from '../../../../src/envoy/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { bytesOfText } from '../../../../src/std/memory/index.ts';
import { translateEndpoints } from '../../../../src/translate/clusters/endpoints.ts';

const endpoint = fc.record({
  address: fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()),
  port: fc.oneof(fc.integer({ min: 0, max: 65_535 }), fc.constantFrom(0, 127, 128, 16_383, 16_384)),
  health: fc.constantFrom('ready' as const, 'draining' as const),
  zone: fc.constantFrom(undefined, 'a', 'eu-central-1b'),
});

const checkPorts = fc.constantFrom(undefined, 1, 127, 128, 16_383, 16_384, 65_535);

/** As the library encodes the messages. */
function encoded(endpoints: readonly ir.Endpoint[], checkPort: number | undefined): Uint8Array {
  const zones = [...new Set(endpoints.map(({ zone = '' }) => zone))].sort();
  const localities = zones.map((zone): MessageInitShape<typeof LocalityLbEndpointsSchema> => {
    const members = endpoints.filter((one) => (one.zone ?? '') === zone);
    return {
      ...(zone && { locality: { zone } }),
      loadBalancingWeight: members.length,
      lbEndpoints: members.map(({ address, port, health }) => ({
        hostIdentifier: {
          case: 'endpoint',
          value: {
            ...(checkPort !== undefined && { healthCheckConfig: { portValue: checkPort } }),
            address: {
              address: {
                case: 'socketAddress',
                value: { address, portSpecifier: { case: 'portValue', value: port } },
              },
            },
          },
        },
        ...(health === 'draining' && { healthStatus: HealthStatus.DRAINING }),
      })),
    };
  });
  const assignment = create(ClusterLoadAssignmentSchema, { clusterName: 'default/web/80', endpoints: localities });
  return toBinary(ClusterLoadAssignmentSchema, assignment);
}

test('endpoints are the bytes that the messages are encoded to', (t) => {
  fc.assert(
    fc.property(fc.array(endpoint, { maxLength: 200 }), checkPorts, (drawn, checkPort) => {
      const endpoints = drawn.map(({ zone, ...rest }): ir.Endpoint => ({ ...rest, ...(zone && { zone }) }));
      t.deepEqual(
        bytesOfText(translateEndpoints({ backend: 'default/web/80', endpoints, ...(checkPort && { checkPort }) }).body),
        Buffer.from(encoded(endpoints, checkPort)),
      );
    }),
  );
});

test('no priority is left out, and the share below which requests move is a factor', (t) => {
  const translated = translateEndpoints({
    backend: 'default/web/80',
    endpoints: [
      { address: '10.0.0.1', port: 80, health: 'ready', priority: 2 },
      { address: '10.0.0.2', port: 80, health: 'ready', priority: 2, zone: 'a' },
    ],
    failoverBelow: 50,
  });
  const { endpoints, policy } = fromBinary(ClusterLoadAssignmentSchema, bytesOfText(translated.body));
  t.deepEqual(
    endpoints.map(({ priority, lbEndpoints, locality }) => [priority, lbEndpoints.length, locality?.zone]),
    [
      [0, 0, undefined],
      [1, 0, undefined],
      [2, 1, undefined],
      [2, 1, 'a'],
    ],
  );
  t.is(policy?.overprovisioningFactor, 200);
});
