import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { ClusterLoadAssignmentSchema, LocalityLbEndpointsSchema, typeUrls } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { clusterName, type EnvoyResource, encodedResource } from '../resource/index.ts';
import { encodeLbEndpoints } from './lb-endpoints.ts';

/** EDS: one locality for each priority and zone, so that zone preferences can be set without moving endpoints. */
export function translateEndpoints({ backend, endpoints, failoverBelow, checkPort }: ir.Endpoints): EnvoyResource {
  const name = clusterName(backend);
  const writer = new BinaryWriter();
  writer.raw(toBinary(ClusterLoadAssignmentSchema, create(ClusterLoadAssignmentSchema, { clusterName: name })));
  for (const locality of failoverBelow === undefined
    ? localities(endpoints, checkPort)
    : prioritized(endpoints, checkPort))
    writer.tag(endpointsField, WireType.LengthDelimited).bytes(locality);
  if (failoverBelow !== undefined)
    writer.raw(toBinary(ClusterLoadAssignmentSchema, create(ClusterLoadAssignmentSchema, policyOf(failoverBelow))));
  return encodedResource(typeUrls.endpoint, name, writer.finish());
}

/** `ClusterLoadAssignment.endpoints`. */
const endpointsField = 2;

/** Envoy counts a priority as whole while its share of endpoints that are well, times this factor, is at least 100. */
const policyOf = (failoverBelow: number): MessageInitShape<typeof ClusterLoadAssignmentSchema> => ({
  policy: { overprovisioningFactor: Math.round(10_000 / failoverBelow) },
});

/** No priority may be left out, so one without endpoints has an empty locality. */
function prioritized(endpoints: readonly ir.Endpoint[], checkPort: number | undefined): Uint8Array[] {
  const byPriority = Map.groupBy(endpoints, ({ priority = 0 }) => priority);
  const count = Math.max(0, ...byPriority.keys()) + 1;
  return Array.from({ length: count }, (_, priority) => {
    const members = byPriority.get(priority);
    return members ? localities(members, checkPort, priority) : [part({ priority })];
  }).flat();
}

function localities(endpoints: readonly ir.Endpoint[], checkPort: number | undefined, priority = 0): Uint8Array[] {
  const zones = [...Map.groupBy(endpoints, ({ zone = '' }) => zone)].sort(([a], [b]) => (a < b ? -1 : 1));
  return zones.map(([zone, members]) =>
    encodeLocality(zone, encodeLbEndpoints(members, checkPort), { count: members.length, priority }),
  );
}

/** A LocalityLbEndpoints, its fields in the order of their numbers, as they are always encoded: a version is made from bytes. */
const encodeLocality = (
  zone: string,
  members: Uint8Array,
  { count, priority }: { readonly count: number; readonly priority: number },
): Uint8Array =>
  Buffer.concat([
    zone ? part({ locality: { zone } }) : new Uint8Array(),
    members,
    // A locality without a weight is dropped as soon as locality weights are in use.
    part({ loadBalancingWeight: count, priority }),
  ]);

const part = (fields: MessageInitShape<typeof LocalityLbEndpointsSchema>) =>
  toBinary(LocalityLbEndpointsSchema, create(LocalityLbEndpointsSchema, fields));
