import { create, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import test from 'ava';
import { type DeltaRequest, decodeDeltaResponse } from '../../../src/agent/relay/delta-messages.ts';
import { SnapshotMarker } from '../../../src/agent/relay/snapshot-marker.ts';
import { DeltaDiscoveryResponseSchema, SnapshotSchema, typeUrls } from '../../../src/envoy/index.ts';
import { decodeManifest } from '../../../src/xds/index.ts';

/** What an agent of today makes of a manifest with these bytes: the snapshot it has applied, and its answer. */
function take(value: Uint8Array) {
  const sent: DeltaRequest[] = [];
  const marker = new SnapshotMarker((request) => sent.push(request));
  const message = create(DeltaDiscoveryResponseSchema, {
    typeUrl: typeUrls.snapshot,
    nonce: 'n1',
    resources: [{ name: 'snapshot', version: 's1', resource: { typeUrl: typeUrls.snapshot, value } }],
  });
  marker.answered(decodeDeltaResponse(toBinary(DeltaDiscoveryResponseSchema, message)));
  return { applied: marker.resolve(new Date(1_000))?.id, rejection: sent[0]?.error?.message };
}

/** The first field is the id: what every version of the manifest begins with. */
const onlyId = new BinaryWriter().tag(1, WireType.LengthDelimited).string('s1').finish();

test('a manifest with fields that only a newer control plane knows is taken', (t) => {
  const known = toBinary(SnapshotSchema, create(SnapshotSchema, { id: 's1', routes: 3n, digest: 'd' }));
  const newer = new BinaryWriter()
    .raw(known)
    .tag(15, WireType.LengthDelimited)
    .string('a field of tomorrow')
    .tag(16, WireType.Varint)
    .uint64(7)
    .tag(2000, WireType.Bit32)
    .fixed32(1)
    .finish();
  t.deepEqual(take(newer), { applied: 's1', rejection: undefined });
  t.like(decodeManifest(newer), { id: 's1', routes: 3, digest: 'd' });
});

test('a manifest with nothing but the id, as the oldest control plane sends it, is taken', (t) => {
  t.deepEqual(take(onlyId), { applied: 's1', rejection: undefined });
  t.like(decodeManifest(onlyId), { id: 's1', gateways: 0, routes: 0, digest: '' });
});

test('a manifest that is none is rejected with a reason', (t) => {
  const { applied, rejection } = take(Uint8Array.of(0xff, 0xff));
  t.is(applied, undefined);
  t.truthy(rejection);
});
