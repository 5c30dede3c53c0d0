import test from 'ava';
import { patchesMetadata, patchType } from '../../../src/contracts/index.ts';
import { type DeltaDiscoveryResponse, typeUrls } from '../../../src/envoy/index.ts';
import { DeltaClient } from '../../support/grpc.ts';
import { fakeResource, publisher, removalOf, startXds } from '../../support/xds.ts';

const { endpoint, cluster } = typeUrls;

const words = (count: number, changed?: number): string =>
  Array.from({ length: count }, (_, at) => `endpoint ${at === changed ? 'new' : at} of a long list; `).join('');

const long = (changed?: number) => fakeResource(endpoint, 'long', words(500, changed));

interface World {
  readonly publish: ReturnType<typeof publisher>;
  readonly client: DeltaClient;
  readonly connect: (metadata?: Record<string, string>) => DeltaClient;
}

/** A client that takes patches and has asked for `long`, which is published. */
async function world(t: Parameters<typeof startXds>[0]): Promise<World> {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [long()] });
  const connect = (metadata: Record<string, string> = { [patchesMetadata]: 'true' }): DeltaClient => {
    const client = new DeltaClient({ target: port, metadata });
    t.teardown(async () => client.close());
    return client;
  };
  const client = connect();
  client.subscribe(endpoint, 'long');
  return { publish, client, connect };
}

const formOf = ({ resources }: DeltaDiscoveryResponse): string[] =>
  resources.map(({ name, resource }) => `${name} ${resource?.typeUrl === patchType ? 'patched' : 'whole'}`);

const sizeOf = ({ resources }: DeltaDiscoveryResponse): number => resources[0]?.resource?.value.length ?? 0;

test('a client that takes patches gets what differs of long endpoints that it has taken', async (t) => {
  const { publish, client } = await world(t);
  t.deepEqual(formOf(await client.take()), ['long whole']);
  publish({ upserts: [long(250)] });
  const second = await client.take();
  t.deepEqual(formOf(second), ['long patched']);
  t.true(sizeOf(second) < 200, `${sizeOf(second)} bytes`);
  t.is(second.resources[0]?.version, long(250).version);
  publish({ upserts: [fakeResource(endpoint, 'long', 'else '.repeat(2000))] });
  t.deepEqual(formOf(await client.take()), ['long whole'], 'a patch would not be shorter');
});

test('one that does not say that it takes them gets all whole', async (t) => {
  const { publish, connect } = await world(t);
  const envoy = connect({});
  envoy.subscribe(endpoint, 'long');
  await envoy.take();
  publish({ upserts: [long(250)] });
  t.deepEqual(formOf(await envoy.take()), ['long whole']);
});

test('short endpoints and other types are sent whole', async (t) => {
  const { publish, client } = await world(t);
  await client.take(endpoint);
  client.subscribe(endpoint, 'short');
  client.subscribe(cluster, 'c');
  for (const typeUrl of [endpoint, cluster]) await client.take(typeUrl);
  for (const text of ['two', 'three']) {
    publish({
      upserts: [fakeResource(endpoint, 'short', text), fakeResource(cluster, 'c', words(500, text.length))],
    });
    const forms = [await client.take(cluster), await client.take(endpoint)].flatMap(formOf);
    t.deepEqual(forms, ['c whole', 'short whole']);
  }
});

test('asked for again, it is sent whole, also when a patch is under way', async (t) => {
  const { publish, client } = await world(t);
  await client.take();
  publish({ upserts: [long(250)] });
  const patched = await client.receive();
  t.deepEqual(formOf(patched), ['long patched']);
  client.subscribe(endpoint, 'long');
  client.ack(patched);
  t.deepEqual(formOf(await client.take()), ['long whole']);
  publish({ upserts: [long(251)] });
  t.deepEqual(formOf(await client.take()), ['long patched'], 'it has it again');
});

test('a patch is of what the client took, not of what it rejected', async (t) => {
  const { publish, client } = await world(t);
  await client.take();
  publish({ upserts: [long(250)] });
  client.nack(await client.receive(), 'no');
  publish({ upserts: [long(400)] });
  const third = await client.take();
  t.deepEqual(formOf(third), ['long patched']);
  const text = Buffer.from(third.resources[0]!.resource!.value).toString('latin1');
  t.true(text.includes(long().version));
});

test('given up or removed, it is whole when it comes again', async (t) => {
  const { publish, client } = await world(t);
  await client.take();
  client.unsubscribe(endpoint, 'long');
  client.subscribe(endpoint, 'long');
  t.deepEqual(formOf(await client.take()), ['long whole']);
  publish({ removals: [removalOf(long())] });
  t.deepEqual((await client.take(endpoint)).removedResources, ['long']);
  publish({ upserts: [long(1)] });
  t.deepEqual(formOf(await client.take(endpoint)), ['long whole']);
});

test('what a client has from an earlier stream is patched, too', async (t) => {
  const { publish, connect } = await world(t);
  const back = connect();
  const initialResourceVersions = { long: long().version };
  back.send({ typeUrl: endpoint, resourceNamesSubscribe: ['long'], initialResourceVersions });
  await back.drain();
  publish({ upserts: [long(3)] });
  t.deepEqual(formOf(await back.take(endpoint)), ['long patched']);
});

test('what it has in another version is sent whole', async (t) => {
  const { connect } = await world(t);
  const back = connect();
  back.send({ typeUrl: endpoint, resourceNamesSubscribe: ['long'], initialResourceVersions: { long: 'other' } });
  t.deepEqual(formOf(await back.take(endpoint)), ['long whole']);
});
