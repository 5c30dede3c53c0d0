import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { ClusterLoadAssignmentSchema, LocalityLbEndpointsSchema, typeUrls } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { clusterName, type EnvoyResource, encodedResource } from '../resource/index.ts';
import { encodeLbEndpoints } from './lb-endpoints.ts';

/** EDS: one locality for each zone, so that zone preferences can be set without moving endpoints. */
export function translateEndpoints({ backend, endpoints }: ir.Endpoints): EnvoyResource {
  const name = clusterName(backend);
  const zones = [...Map.groupBy(endpoints, ({ zone = '' }) => zone)].sort(([a], [b]) => (a < b ? -1 : 1));
  const writer = new BinaryWriter();
  writer.raw(toBinary(ClusterLoadAssignmentSchema, create(ClusterLoadAssignmentSchema, { clusterName: name })));
  for (const [zone, members] of zones)
    writer.tag(endpointsField, WireType.LengthDelimited).bytes(encodeLocality(zone, members));
  return encodedResource(typeUrls.endpoint, name, writer.finish());
}

/** `ClusterLoadAssignment.endpoints`. */
const endpointsField = 2;

/** A LocalityLbEndpoints, its fields in the order of their numbers, as they are always encoded: a version is made from bytes. */
function encodeLocality(zone: string, members: readonly ir.Endpoint[]): Uint8Array {
  const part = (fields: MessageInitShape<typeof LocalityLbEndpointsSchema>) =>
    toBinary(LocalityLbEndpointsSchema, create(LocalityLbEndpointsSchema, fields));
  return Buffer.concat([
    zone ? part({ locality: { zone } }) : new Uint8Array(),
    encodeLbEndpoints(members),
    // A locality without a weight is dropped as soon as locality weights are in use.
    part({ loadBalancingWeight: members.length }),
  ]);
}
