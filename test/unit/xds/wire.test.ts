import test from 'ava';
import { typeUrls } from '../../../src/envoy/index.ts';
import { bytesOfText } from '../../../src/std/memory/index.ts';
import { decodeDeltaResponse, decodeSotwResponse } from '../../../src/xds/index.ts';
import { deltaSize, encodeDeltaResponse, encodeSotwResponse } from '../../../src/xds/session/wire.ts';
import { fakeResource } from '../../support/xds.ts';

const sizes = [0, 1, 127, 128, 16_383, 16_384, 2_097_152];
const resources = sizes.map((size) => fakeResource(typeUrls.cluster, `r${size}`, 'x'.repeat(size)));

test('a delta response made by hand is what the protobuf library reads', (t) => {
  const bytes = encodeDeltaResponse({
    typeUrl: typeUrls.cluster,
    nonce: '17',
    systemVersion: 'v',
    upserts: resources,
    removed: ['gone', 'ä'.repeat(100)],
    empty: ['rc/host'],
  });
  const message = decodeDeltaResponse(bytes);
  t.like(message, { typeUrl: typeUrls.cluster, nonce: '17', systemVersionInfo: 'v' });
  t.deepEqual(message.removedResources, ['gone', 'ä'.repeat(100)]);
  const { length, ...last } = { length: message.resources.length, ...message.resources.at(-1) };
  t.is(length, resources.length + 1);
  t.like(last, { name: 'rc/host', aliases: ['rc/host'], resource: undefined, version: '' });
  resources.forEach((resource, at) => {
    const read = message.resources[at]!;
    t.like(read, { name: resource.name, version: resource.version });
    t.is(read.resource?.typeUrl, typeUrls.cluster);
    t.true(bytesOfText(resource.body).equals(Buffer.from(read.resource!.value)));
  });
});

test('a state-of-the-world response made by hand is what the protobuf library reads', (t) => {
  const message = decodeSotwResponse(
    encodeSotwResponse({ typeUrl: typeUrls.cluster, nonce: '1', version: 'v', resources }),
  );
  t.like(message, { typeUrl: typeUrls.cluster, nonce: '1', versionInfo: 'v' });
  t.deepEqual(
    message.resources.map(({ value }) => value.length),
    sizes,
  );
});

test('an empty response is one', (t) => {
  const nothing = { typeUrl: typeUrls.listener, nonce: '1', systemVersion: '', upserts: [], removed: [], empty: [] };
  t.like(decodeDeltaResponse(encodeDeltaResponse(nothing)), { typeUrl: typeUrls.listener, nonce: '1', resources: [] });
});

test('the size of a resource is what it adds to a response', (t) => {
  const content = { typeUrl: typeUrls.cluster, nonce: '1', systemVersion: 'v', removed: [], empty: [] };
  const without = encodeDeltaResponse({ ...content, upserts: [] }).length;
  for (const resource of resources) {
    t.is(encodeDeltaResponse({ ...content, upserts: [resource] }).length - without, deltaSize(resource));
  }
});
