import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { SnapshotSchema, typeUrls } from '../../envoy/index.ts';
import { textOfBytes } from '../../std/memory/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import type { SnapshotManifest } from './publication.ts';

/** Name of the one resource of the manifest's type. */
const manifestName = 'snapshot';

/** The manifest as one node gets it: with the digest of the node's own gateway. */
export interface NodeManifest extends SnapshotManifest {
  /** Content digest of the gateway, as text; empty when the gateway is gone. */
  readonly digest: string;
}

/** The manifest as a resource. Its version is the snapshot's id, so that a node which has it from another replica keeps it. */
export function manifestResource(marker: NodeManifest): EnvoyResource {
  const message = create(SnapshotSchema, {
    id: marker.id,
    generatedAt: timestampFromDate(marker.generatedAt),
    gateways: BigInt(marker.gateways),
    listeners: BigInt(marker.listeners),
    routes: BigInt(marker.routes),
    backends: BigInt(marker.backends),
    digest: marker.digest,
  });
  return {
    typeUrl: typeUrls.snapshot,
    name: manifestName,
    version: marker.id,
    body: textOfBytes(toBinary(SnapshotSchema, message)),
  };
}

/** The manifest in `Any.value` of the resource. Throws when the bytes are none. */
export function decodeManifest(body: Uint8Array): NodeManifest {
  const message = fromBinary(SnapshotSchema, body);
  return {
    id: message.id,
    generatedAt: message.generatedAt === undefined ? new Date(0) : timestampDate(message.generatedAt),
    gateways: Number(message.gateways),
    listeners: Number(message.listeners),
    routes: Number(message.routes),
    backends: Number(message.backends),
    digest: message.digest,
  };
}
