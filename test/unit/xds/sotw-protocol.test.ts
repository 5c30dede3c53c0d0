import test from 'ava';
import type { DiscoveryResponse } from '../../../src/envoy/index.ts';
import { typeUrls } from '../../../src/envoy/index.ts';
import type { EnvoyResource } from '../../../src/translate/index.ts';
import { decodeManifest } from '../../../src/xds/index.ts';
import { SotwClient } from '../../support/grpc.ts';
import { until } from '../../support/until.ts';
import { applied, fakeResource, nextEvent, publisher, removalOf, startXds } from '../../support/xds.ts';

const { cluster, endpoint, listener, scopedRoute, snapshot } = typeUrls;

const cds = (name: string, text = name): EnvoyResource => fakeResource(cluster, name, text);
const eds = (name: string, text = name): EnvoyResource => fakeResource(endpoint, name, text);
const lds = (name: string, text = name): EnvoyResource => fakeResource(listener, name, text);
const srds = (name: string, text = name): EnvoyResource => fakeResource(scopedRoute, name, text);

const textsOf = (response: DiscoveryResponse): string[] =>
  response.resources.map(({ value }) => Buffer.from(value).toString()).sort();

async function connected(t: Parameters<typeof startXds>[0], port: number): Promise<SotwClient> {
  const client = new SotwClient({ target: port });
  t.teardown(async () => client.close());
  for (const typeUrl of [cluster, listener, scopedRoute]) {
    client.subscribe(typeUrl);
    await client.take(typeUrl);
  }
  return client;
}

test('each answer lists everything of the type', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [cds('a'), cds('b'), lds('l')] });
  const client = await connected(t, port);
  publish({ upserts: [cds('c')] });
  const more = await client.take(cluster);
  t.deepEqual(textsOf(more), ['a', 'b', 'c']);
  t.is(more.versionInfo, 's2');
  t.is(more.resources[0]?.typeUrl, cluster);
  publish({ removals: [removalOf(cds('a'))] });
  t.deepEqual(textsOf(await client.take(cluster)), ['b', 'c']);
});

test('endpoints are answered for what changed only', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [eds('a'), eds('b'), eds('c')] });
  const client = await connected(t, port);
  client.subscribe(endpoint, 'a', 'b');
  t.deepEqual(textsOf(await client.take(endpoint)), ['a', 'b']);
  publish({ upserts: [eds('b', 'b2'), eds('c', 'c2')] });
  t.deepEqual(textsOf(await client.take(endpoint)), ['b2']);
  client.subscribe(endpoint, 'b', 'c');
  t.deepEqual(textsOf(await client.take(endpoint)), ['c2'], 'what is newly asked for');
  publish({ upserts: [eds('a', 'a2')] });
  t.deepEqual(await client.drain(), [], 'a is not subscribed any more');
});

test('a repeated request is answered although nothing changed', async (t) => {
  const { server, port } = await startXds(t);
  publisher(server)({ upserts: [eds('a'), eds('b'), srds('h')] });
  const client = await connected(t, port);
  client.subscribe(endpoint, 'a', 'b');
  await client.take(endpoint);
  client.subscribe(endpoint, 'a', 'b');
  t.deepEqual(textsOf(await client.take(endpoint)), ['a', 'b']);
  client.subscribe(scopedRoute);
  t.deepEqual(textsOf(await client.take(scopedRoute)), ['h']);
});

test('a stale nonce voids the request', async (t) => {
  const { server, port } = await startXds(t);
  publisher(server)({ upserts: [eds('a'), eds('b')] });
  const client = await connected(t, port);
  client.subscribe(endpoint, 'a');
  const first = await client.receive(endpoint);
  client.send({ typeUrl: endpoint, responseNonce: 'stale', resourceNames: ['a', 'b'] });
  t.deepEqual(await client.drain(), []);
  client.ack(first);
  client.subscribe(endpoint, 'a', 'b');
  t.deepEqual(textsOf(await client.take(endpoint)), ['b']);
});

test('names can be given for listeners and clusters too, as proxyless gRPC does', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [lds('l1'), lds('l2'), cds('a'), cds('b')] });
  const client = new SotwClient({ target: port });
  t.teardown(() => client.close());
  client.subscribe(listener, 'l1');
  t.deepEqual(textsOf(await client.take()), ['l1']);
  client.subscribe(cluster, 'a');
  t.deepEqual(textsOf(await client.take()), ['a']);
  client.subscribe(cluster, 'a', 'b', 'missing');
  t.deepEqual(textsOf(await client.take()), ['a', 'b'], 'in full');
  client.subscribe(cluster, 'b');
  t.deepEqual(textsOf(await client.take()), ['b']);
  publish({ upserts: [cds('a', 'a2'), lds('l2', '2')] });
  t.deepEqual(await client.drain(), []);
});

test('a rejected resource stays at its former version, and its neighbours move on', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [lds('l'), srds('a', 'a1'), srds('b', 'b1')] });
  const client = await connected(t, port);
  publish({ upserts: [srds('a', 'a2 broken'), srds('b', 'b2')] });
  client.nack(await client.receive(scopedRoute), 'scope a is bad');
  const [former, neighbour = ''] = textsOf(await client.take(scopedRoute));
  t.is(former, 'a1');
  t.true(neighbour.startsWith('b2') && neighbour !== 'b2', 'Envoy passes over a scope that comes again unchanged');
  client.nack(await client.receive(scopedRoute), 'scope a is bad');
  publish({ upserts: [srds('c', 'c1')] });
  t.deepEqual(textsOf(await client.take(scopedRoute)), ['a1', neighbour, 'c1']);
  t.is(server.nodes.find('node-1')?.lastAckVersion, 's1');
  const fixed = nextEvent(server, applied('s4'));
  publish({ upserts: [srds('a', 'a3')] });
  t.deepEqual(textsOf(await client.take(scopedRoute)), ['a3', neighbour, 'c1']);
  await fixed;
  t.like(server.nodes.find('node-1'), { lastAckVersion: 's4', lastConfigStatus: 'ACK' });
});

test('order: the old cluster is listed until the route has moved', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [cds('a'), lds('l'), srds('h', 'to a')] });
  const client = await connected(t, port);
  publish({ upserts: [cds('b'), srds('h', 'to b')], removals: [removalOf(cds('a'))] });
  const made = await client.receive();
  t.deepEqual([made.typeUrl, textsOf(made)], [cluster, ['a', 'b']]);
  t.deepEqual(await client.drain(), []);
  client.ack(made);
  t.deepEqual(textsOf(await client.take(scopedRoute)), ['to b']);
  t.deepEqual(textsOf(await client.take(cluster)), ['b']);
});

test('a node of an unknown gateway is not sent an empty set', async (t) => {
  const { server, port } = await startXds(t);
  const client = new SotwClient({ target: port });
  t.teardown(() => client.close());
  client.subscribe(cluster);
  client.subscribe(listener);
  await until('both requests to be read', () => server.nodes.find('node-1')?.subscriptions.length === 2);
  publisher(server)({ upserts: [cds('a'), lds('l')] });
  t.deepEqual(textsOf(await client.take()), ['a']);
  t.deepEqual(textsOf(await client.take()), ['l']);
});

test('the manifest comes last', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [lds('l')] });
  const client = await connected(t, port);
  client.subscribe(snapshot, 'snapshot');
  const marker = await client.take(snapshot);
  t.is(decodeManifest(marker.resources[0]!.value).id, 's1');
  publish({ upserts: [srds('h')] });
  t.is((await client.take()).typeUrl, scopedRoute);
  const done = nextEvent(server, applied('s2'));
  t.is(decodeManifest((await client.take()).resources[0]!.value).id, 's2');
  await done;
});
