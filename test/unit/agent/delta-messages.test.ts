import { create, fromBinary, type JsonObject, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import {
  decodeDeltaRequest,
  decodeDeltaResponse,
  deltaRequest,
  encodeDeltaRequest,
  encodeDeltaResponse,
  resourceBody,
} from '../../../src/agent/relay/delta-messages.ts';
import { withMetadata, withoutExtensions } from '../../../src/agent/relay/node.ts';
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  NodeSchema,
  packAny,
  SnapshotSchema,
} from '../../../src/envoy/index.ts';

test('an answer passes through with another nonce and all else byte for byte', (t) => {
  const resource = packAny(SnapshotSchema, create(SnapshotSchema, { id: 'x' }));
  const sent = create(DeltaDiscoveryResponseSchema, {
    typeUrl: 'a/b',
    nonce: '1',
    systemVersionInfo: 'v',
    removedResources: ['gone', 'too'],
    resources: [
      { name: 'one', version: 'v1', resource, aliases: ['uno'], ttl: { seconds: 3n } },
      { name: 'bodiless', version: 'v2' },
    ],
  });
  const decoded = decodeDeltaResponse(toBinary(DeltaDiscoveryResponseSchema, sent));
  t.like(decoded, { typeUrl: 'a/b', nonce: '1', systemVersion: 'v', removed: ['gone', 'too'] });
  t.deepEqual(
    decoded.resources.map(({ name, version }) => [name, version]),
    [
      ['one', 'v1'],
      ['bodiless', 'v2'],
    ],
  );
  const relayed = fromBinary(
    DeltaDiscoveryResponseSchema,
    Uint8Array.from(encodeDeltaResponse({ ...decoded, nonce: '2' })),
  );
  t.deepEqual(relayed, { ...sent, nonce: '2' });
  t.is(fromBinary(SnapshotSchema, resourceBody(decoded.resources[0]!)!).id, 'x');
  t.is(resourceBody(decoded.resources[1]!), undefined);
});

test('a held resource does not keep the answer it came in', (t) => {
  const sent = create(DeltaDiscoveryResponseSchema, { resources: [{ name: 'one' }, { name: 'x'.repeat(10_000) }] });
  const [held] = decodeDeltaResponse(toBinary(DeltaDiscoveryResponseSchema, sent)).resources;
  t.is(held?.bytes.buffer.byteLength, held?.bytes.length);
});

test('a request is read and written as the generated codec does', (t) => {
  const node = create(NodeSchema, { id: 'n', cluster: 'a/b' });
  const sent = create(DeltaDiscoveryRequestSchema, {
    node,
    typeUrl: 'a/b',
    resourceNamesSubscribe: ['x', '*'],
    resourceNamesUnsubscribe: ['y'],
    initialResourceVersions: { one: '1', two: '' },
    responseNonce: '7',
    errorDetail: { code: 13, message: 'why' },
  });
  const decoded = decodeDeltaRequest(toBinary(DeltaDiscoveryRequestSchema, sent));
  t.deepEqual(decoded, {
    typeUrl: 'a/b',
    node: toBinary(NodeSchema, node),
    subscribe: ['x', '*'],
    unsubscribe: ['y'],
    initialVersions: new Map([
      ['one', '1'],
      ['two', ''],
    ]),
    nonce: '7',
    error: { code: 13, message: 'why' },
  });
  t.deepEqual(fromBinary(DeltaDiscoveryRequestSchema, encodeDeltaRequest(decoded)), sent);
  const empty = encodeDeltaRequest(deltaRequest({ typeUrl: 't' }));
  t.deepEqual(fromBinary(DeltaDiscoveryRequestSchema, empty), create(DeltaDiscoveryRequestSchema, { typeUrl: 't' }));
});

test('garbage is rejected by throwing', (t) => {
  t.throws(() => decodeDeltaResponse(Buffer.from([0x12, 0x7f, 1])));
  t.throws(() => decodeDeltaRequest(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])));
});

test('the node loses its extensions and nothing else', (t) => {
  const node = { id: 'n', cluster: 'c', metadata: { a: 'b' }, userAgentName: 'envoy', clientFeatures: ['f'] };
  const sent = create(NodeSchema, { ...node, extensions: [{ name: 'e1' }, { name: 'e2' }] });
  const relayed = fromBinary(NodeSchema, withoutExtensions(toBinary(NodeSchema, sent)));
  t.deepEqual(relayed, create(NodeSchema, node));
});

test('the node gains one text in its metadata, whatever was there by that name', (t) => {
  const node = { id: 'n', cluster: 'c', userAgentName: 'envoy', clientFeatures: ['f'] };
  const before: (JsonObject | undefined)[] = [undefined, {}, { a: 'b', list: [1, { c: null }] }, { token: 'another' }];
  for (const metadata of before) {
    const sent = toBinary(NodeSchema, create(NodeSchema, { ...node, ...(metadata && { metadata }) }));
    const relayed = fromBinary(NodeSchema, withMetadata(sent, 'token', 'made up'));
    t.deepEqual(relayed, create(NodeSchema, { ...node, metadata: { ...metadata, token: 'made up' } }));
  }
  t.deepEqual(fromBinary(NodeSchema, withMetadata(Uint8Array.of(), 'a', 'b')).metadata, { a: 'b' });
});
