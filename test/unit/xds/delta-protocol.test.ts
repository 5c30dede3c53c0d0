import test from 'ava';
import { typeUrls } from '../../../src/envoy/index.ts';
import type { EnvoyResource } from '../../../src/translate/index.ts';
import { decodeManifest } from '../../../src/xds/index.ts';
import { DeltaClient } from '../../support/grpc.ts';
import { until } from '../../support/until.ts';
import { applied, fakeResource, nextEvent, publisher, removalOf, startXds } from '../../support/xds.ts';

const { cluster, endpoint, listener, scopedRoute, secret, route, virtualHost, snapshot } = typeUrls;

const cds = (name: string, text = name): EnvoyResource => fakeResource(cluster, name, text);
const eds = (name: string, text = name): EnvoyResource => fakeResource(endpoint, name, text);
const lds = (name: string, text = name): EnvoyResource => fakeResource(listener, name, text);
const srds = (name: string, text = name): EnvoyResource => fakeResource(scopedRoute, name, text);

const namesOf = (response: { resources: readonly { name: string }[] }): string[] =>
  response.resources.map(({ name }) => name).sort();

/** Connects and takes everything a proxy takes at its start. */
async function connected(t: Parameters<typeof startXds>[0], port: number, nodeId = 'node-1'): Promise<DeltaClient> {
  const client = new DeltaClient({ target: port, nodeId });
  t.teardown(async () => client.close());
  for (const typeUrl of [cluster, listener, scopedRoute]) {
    client.subscribe(typeUrl);
    await client.take(typeUrl);
  }
  return client;
}

test('a first request without names gets everything; later ones only what changes', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [cds('a'), cds('b')] });
  const client = new DeltaClient({ target: port });
  t.teardown(() => client.close());
  client.subscribe(cluster);
  const first = await client.take();
  t.deepEqual(namesOf(first), ['a', 'b']);
  t.is(first.systemVersionInfo, 's1');
  t.is(first.resources.find(({ name }) => name === 'a')?.version, cds('a').version);
  t.is(Buffer.from(first.resources.find(({ name }) => name === 'a')!.resource!.value).toString(), 'a');
  t.is(first.resources[0]?.resource?.typeUrl, cluster);

  publish({ upserts: [cds('b', 'b2'), cds('a')] });
  const second = await client.take();
  t.deepEqual(namesOf(second), ['b'], 'equal bytes are not sent again');

  publish({ removals: [removalOf(cds('a'))] });
  const third = await client.take();
  t.deepEqual([namesOf(third), third.removedResources], [[], ['a']]);
});

test('a node of a gateway that was never published waits, and is answered when it is', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  const client = new DeltaClient({ target: port });
  t.teardown(() => client.close());
  client.subscribe(cluster);
  client.send({ typeUrl: listener, initialResourceVersions: { old: '1' } });
  const other = publisher(server, 'other/gw');
  other({ upserts: [cds('foreign')] });
  await until('both requests to be read', () => server.nodes.find('node-1')?.subscriptions.length === 2);
  publish({ upserts: [cds('a'), lds('l')] });
  const first = await client.take();
  t.deepEqual([first.typeUrl, namesOf(first)], [cluster, ['a']], 'an empty answer would have wiped the proxy');
  const listeners = await client.take(listener);
  t.deepEqual([namesOf(listeners), listeners.removedResources], [['l'], ['old']]);
});

test('types without any resource are answered, so that no client waits for them', async (t) => {
  const { server, port } = await startXds(t);
  publisher(server)({ upserts: [cds('a')] });
  const client = new DeltaClient({ target: port });
  t.teardown(() => client.close());
  client.subscribe(scopedRoute);
  t.deepEqual(namesOf(await client.take()), []);
  client.subscribe(endpoint, 'a', 'b');
  t.deepEqual((await client.take()).removedResources.sort(), ['a', 'b']);
  client.subscribe(secret, 'ns/missing');
  t.deepEqual((await client.take()).removedResources, ['ns/missing']);
  client.subscribe(route, 'http/80');
  t.deepEqual((await client.take()).removedResources, ['http/80']);
  client.subscribe(virtualHost, 'rc/unknown.example.com');
  const unknownHost = await client.take();
  t.deepEqual(unknownHost.removedResources, []);
  t.like(unknownHost.resources[0], {
    name: 'rc/unknown.example.com',
    aliases: ['rc/unknown.example.com'],
    resource: undefined,
  });
});

test('names come and go; asking again is answered again', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [eds('a'), eds('b')] });
  const client = new DeltaClient({ target: port });
  t.teardown(() => client.close());
  client.subscribe(endpoint, 'a', 'b');
  t.deepEqual(namesOf(await client.take()), ['a', 'b']);
  client.subscribe(endpoint, 'a');
  t.deepEqual(namesOf(await client.take()), ['a'], 'subscribed already, but asked for');
  client.unsubscribe(endpoint, 'a');
  t.deepEqual(await client.drain(), []);
  publish({ upserts: [eds('a', 'a2'), eds('b', 'b2')] });
  t.deepEqual(namesOf(await client.take()), ['b']);
  client.subscribe(endpoint, 'a');
  t.is(Buffer.from((await client.take()).resources[0]!.resource!.value).toString(), 'a2');
});

test('the wildcard can be asked for, and given up, by its name', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [eds('a'), eds('b')] });
  const client = new DeltaClient({ target: port });
  t.teardown(() => client.close());
  client.subscribe(endpoint, '*', 'b', 'missing');
  const all = await client.take();
  t.deepEqual([namesOf(all), all.removedResources], [['a', 'b'], ['missing']]);
  client.unsubscribe(endpoint, 'b');
  t.deepEqual(namesOf(await client.take()), ['b'], 'the wildcard still covers it, and the client is sent that');
  client.subscribe(endpoint, 'a');
  await client.take();
  client.unsubscribe(endpoint, '*');
  t.deepEqual(await client.drain(), []);
  publish({ upserts: [eds('a', 'a2'), eds('b', 'b2')] });
  t.deepEqual(namesOf(await client.take()), ['a']);
});

test('a stale nonce acknowledges nothing, but its subscriptions count', async (t) => {
  const { server, port, events } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [cds('a')] });
  const client = new DeltaClient({ target: port });
  t.teardown(() => client.close());
  client.subscribe(cluster);
  const first = await client.receive();
  client.send({ typeUrl: cluster, responseNonce: 'from-another-life' });
  publish({ upserts: [cds('a', 'a2')] });
  t.deepEqual(await client.drain(), [], 'one response is outstanding');
  t.false(events.some((event) => event.kind === 'acked' && event.typeUrl === cluster));
  client.send({ typeUrl: cluster, responseNonce: '999', resourceNamesSubscribe: ['missing'] });
  t.deepEqual(await client.drain(), []);
  client.ack(first);
  t.deepEqual((await client.take(cluster)).removedResources, ['missing']);
  t.deepEqual(namesOf(await client.take(cluster)), ['a']);
});

test('a rejected resource is not sent again until it changes, and its neighbours move on', async (t) => {
  const { server, port, events } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [lds('l'), srds('a')] });
  const client = await connected(t, port);
  publish({ upserts: [srds('bad', 'broken'), srds('b'), srds('c')] });
  const mixed = await client.receive();
  t.deepEqual(namesOf(mixed), ['b', 'bad', 'c']);
  client.nack(mixed, 'route bad: invalid regex');
  t.deepEqual(namesOf(await client.take()), ['b', 'c'], 'whom the message names is sent apart');
  const alone = await client.receive();
  t.deepEqual(namesOf(alone), ['bad']);
  client.nack(alone, 'route bad: invalid regex');
  publish({ upserts: [srds('d')] });
  t.deepEqual(namesOf(await client.take()), ['d']);

  const nacks = events.flatMap((event) => (event.kind === 'nacked' ? [event.nack] : []));
  t.deepEqual(
    nacks.map(({ certain }) => certain),
    [false, true],
  );
  t.like(nacks[1], { typeUrl: scopedRoute, message: 'route bad: invalid regex', snapshot: 's2', nonce: alone.nonce });
  t.deepEqual(nacks[1]?.resources, [{ name: 'bad', version: srds('bad', 'broken').version }]);
  const node = server.nodes.find('node-1');
  t.like(node, {
    lastConfigStatus: 'NACK',
    lastNackType: scopedRoute,
    lastNackMessage: 'route bad: invalid regex',
    lastNackVersion: 's2',
  });
  t.is(node?.lastAckVersion, 's1', 'a node that rejects something stays at what it applied');

  const fixed = nextEvent(server, applied('s4'));
  publish({ upserts: [srds('bad', 'good')] });
  t.deepEqual(namesOf(await client.take()), ['bad']);
  await fixed;
  t.like(server.nodes.find('node-1'), { lastConfigStatus: 'ACK', lastAckVersion: 's4' });
});

test('a listener whose port is taken is sent again until the client has it', async (t) => {
  const { server, port } = await startXds(t, { bindRetryMs: 20 });
  const publish = publisher(server);
  publish({ upserts: [lds('l')] });
  const client = await connected(t, port);
  publish({ upserts: [lds('http/80'), lds('http/81')] });
  const both = await client.receive(listener);
  client.nack(both, "Error adding/updating listener(s) http/80: cannot bind '127.0.0.1:80': Address already in use");
  const again = await client.receive(listener);
  t.deepEqual(namesOf(again), ['http/80']);
  client.nack(again, "Error adding/updating listener(s) http/80: cannot bind '127.0.0.1:80': Address already in use");
  const everything = nextEvent(server, applied('s2'));
  t.deepEqual(namesOf(await client.take(listener)), ['http/80']);
  await everything;
  t.like(server.nodes.find('node-1'), { lastConfigStatus: 'ACK', lastAckVersion: 's2' });
  t.deepEqual(await client.drain(), []);
});

test('removing what was rejected sets the node free as well', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [lds('l')] });
  const client = await connected(t, port);
  publish({ upserts: [cds('bad')] });
  client.nack(await client.receive(cluster), 'Error adding/updating cluster(s) bad: no');
  const free = nextEvent(server, applied('s3'));
  publish({ removals: [removalOf(cds('bad'))] });
  t.deepEqual((await client.take(cluster)).removedResources, ['bad']);
  await free;
  t.is(server.nodes.find('node-1')?.lastAckVersion, 's3');
});

test('CDS: the good clusters of a rejected response are in use and not sent again', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [lds('l')] });
  const client = await connected(t, port);
  publish({ upserts: [cds('ns/web/80'), cds('ns/web/8080')] });
  client.nack(await client.receive(cluster), 'Error adding/updating cluster(s) ns/web/8080: bad');
  t.deepEqual(await client.drain(), []);
  publish({ upserts: [cds('ns/web/80', 'changed')] });
  t.deepEqual(namesOf(await client.take(cluster)), ['ns/web/80']);
});

test('CDS: of a response that Envoy rejected before it applied any of it, the others are sent again', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [lds('l')] });
  const client = await connected(t, port);
  publish({ upserts: [cds('ns/web/80'), cds('ns/web/8080')], removals: [removalOf(cds('gone'))] });
  client.nack(
    await client.receive(cluster),
    'goo.gle/debugonly name: "ns/web/8080" : Proto constraint validation failed (ClusterValidationError.X: no)',
  );
  t.deepEqual(namesOf(await client.take(cluster)), ['ns/web/80']);
  t.deepEqual(namesOf(await client.receive(cluster)), ['ns/web/8080']);
});

test('when no resource is named the batch is halved until the offender stands alone', async (t) => {
  const { server, port, events } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [lds('l')] });
  const client = await connected(t, port);
  const names = Array.from({ length: 20 }, (_, at) => `host-${at}`);
  publish({ upserts: names.map((name) => srds(name)) });
  const taken: string[] = [];
  for (;;) {
    const response = await client.receive(scopedRoute);
    const got = namesOf(response);
    if (!got.includes('host-13')) {
      taken.push(...got);
      client.ack(response);
    } else client.nack(response, 'something is wrong');
    if (taken.length === 19 && events.some((event) => event.kind === 'nacked' && event.nack.certain)) break;
    if (taken.length === 19) await client.drain();
  }
  const last = events.findLast((event) => event.kind === 'nacked');
  t.deepEqual(last?.kind === 'nacked' && last.nack.resources.map(({ name }) => name), ['host-13']);
  t.deepEqual([...taken, 'host-13'].sort(), names.sort());
});

test('a slow client gets only the newest of what changed meanwhile', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [eds('a', '0'), eds('b', '0')] });
  const client = new DeltaClient({ target: port });
  t.teardown(() => client.close());
  client.subscribe(endpoint, 'a', 'b');
  const first = await client.receive();
  for (let n = 1; n <= 100; n++) publish({ upserts: [eds('a', String(n))] });
  publish({ upserts: [eds('c')] });
  t.deepEqual(await client.drain(), []);
  client.ack(first);
  const next = await client.take(endpoint);
  t.deepEqual(
    next.resources.map(({ resource }) => Buffer.from(resource!.value).toString()),
    ['100'],
  );
  t.deepEqual(await client.drain(), []);
});

test('reconnecting costs only the differences, and removals', async (t) => {
  const { server, port } = await startXds(t);
  publisher(server)({ upserts: [cds('same'), cds('changed', '2'), cds('new'), eds('same'), lds('l'), srds('h')] });
  const client = new DeltaClient({ target: port });
  t.teardown(() => client.close());
  client.send({
    typeUrl: cluster,
    initialResourceVersions: { same: cds('same').version, changed: 'older', gone: 'x' },
  });
  client.send({
    typeUrl: endpoint,
    resourceNamesSubscribe: ['same', 'gone'],
    initialResourceVersions: { same: eds('same').version, gone: 'x' },
  });
  client.send({ typeUrl: listener, initialResourceVersions: { l: lds('l').version, old: '1' } });
  client.send({ typeUrl: scopedRoute, initialResourceVersions: { h: srds('h').version, oldhost: '1' } });

  const clusters = await client.receive();
  t.deepEqual([clusters.typeUrl, namesOf(clusters), clusters.removedResources], [cluster, ['changed', 'new'], []]);
  t.deepEqual(await client.drain(), [], 'routes and listeners wait until the clusters are there');
  client.ack(clusters);
  const routes = await client.take(scopedRoute);
  t.deepEqual([namesOf(routes), routes.removedResources], [[], []]);
  const listeners = await client.take(listener);
  t.deepEqual([namesOf(listeners), listeners.removedResources], [[], ['old']]);
  t.deepEqual((await client.take(scopedRoute)).removedResources, ['oldhost']);
  t.deepEqual((await client.take(cluster)).removedResources, ['gone'], 'clusters go last');
  t.deepEqual((await client.take(endpoint)).removedResources, ['gone'], 'and what the proxy did not give up itself');
  t.deepEqual(await client.drain(), []);
});

test('order: clusters, then routes and listeners, then removals; endpoints on their own', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [cds('a'), eds('a'), lds('l'), srds('h', 'to a')] });
  const client = await connected(t, port);
  client.subscribe(endpoint, 'a');
  await client.take(endpoint);

  publish({ upserts: [cds('b'), eds('b'), srds('h', 'to b')], removals: [removalOf(cds('a')), removalOf(eds('a'))] });
  const made = await client.receive();
  t.deepEqual([made.typeUrl, namesOf(made), made.removedResources], [cluster, ['b'], []]);
  client.subscribe(endpoint, 'b');
  t.deepEqual(namesOf(await client.take(endpoint)), ['b'], 'endpoints flow while clusters are unanswered');
  t.deepEqual(await client.drain(), [], 'the route waits for the cluster');
  client.ack(made);
  const moved = await client.receive();
  t.deepEqual([moved.typeUrl, namesOf(moved)], [scopedRoute, ['h']]);
  t.deepEqual(await client.drain(), [], 'the old cluster stays until the route has moved');
  client.ack(moved);
  const broken = await client.receive();
  t.deepEqual([broken.typeUrl, broken.removedResources], [cluster, ['a']]);
  client.unsubscribe(endpoint, 'a');
  client.ack(broken);
  t.deepEqual(await client.drain(), []);
});

test('a changed cluster is followed by its endpoints, although these are the same', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [cds('a'), eds('a')] });
  const client = await connected(t, port);
  client.subscribe(endpoint, 'a');
  await client.take(endpoint);
  publish({ upserts: [cds('a', 'changed')] });
  const changed = await client.receive();
  const follows = await client.receive();
  t.deepEqual([changed.typeUrl, follows.typeUrl, namesOf(follows)], [cluster, endpoint, ['a']]);
});

test('a client that comes back and lacks a changed cluster gets its endpoints too, although it asks for these later', async (t) => {
  const { server, port } = await startXds(t);
  publisher(server)({ upserts: [cds('a', 'changed'), eds('a'), cds('b'), eds('b')] });
  const client = new DeltaClient({ target: port });
  t.teardown(() => client.close());
  client.send({ typeUrl: cluster, initialResourceVersions: { a: cds('a').version, b: cds('b').version } });
  t.deepEqual(namesOf(await client.take(cluster)), ['a']);
  client.send({
    typeUrl: endpoint,
    resourceNamesSubscribe: ['a', 'b'],
    initialResourceVersions: { a: eds('a').version, b: eds('b').version },
  });
  t.deepEqual(namesOf(await client.take(endpoint)), ['a']);
});

test('an endpoint change waits for no other change, and none waits for it', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [cds('a'), eds('a'), lds('l'), srds('h')] });
  const client = await connected(t, port);
  client.subscribe(endpoint, 'a');
  await client.take(endpoint);
  publish({ upserts: [cds('b')] });
  const unanswered = await client.receive(cluster);
  publish({ upserts: [eds('a', 'moved')] });
  const moved = await client.receive(endpoint);
  client.ack(unanswered);
  publish({ upserts: [srds('h', '2')] });
  t.deepEqual(namesOf(await client.take(scopedRoute)), ['h'], 'while the endpoints are unanswered');
  client.ack(moved);
});

test('what is gone from the newest snapshot is still served to a round that needs it', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [cds('a'), eds('a'), lds('l'), srds('h', 'to a')] });
  const client = await connected(t, port);
  client.subscribe(endpoint, 'a');
  await client.take(endpoint);
  publish({ upserts: [cds('b'), eds('b'), srds('h', 'to b')] });
  const made = await client.receive(cluster);
  // Before the proxy asks for the endpoints of b, the world has moved on to c.
  publish({
    upserts: [cds('c'), eds('c'), srds('h', 'to c')],
    removals: [removalOf(cds('b')), removalOf(eds('b'))],
  });
  client.subscribe(endpoint, 'b');
  t.deepEqual(namesOf(await client.take(endpoint)), ['b']);
  client.ack(made);
  const moved = await client.take(scopedRoute);
  t.is(Buffer.from(moved.resources[0]!.resource!.value).toString(), 'to b', 'not ahead of cluster c');
  const next = await client.take(cluster);
  t.deepEqual(namesOf(next), ['c']);
  t.is(Buffer.from((await client.take(scopedRoute)).resources[0]!.resource!.value).toString(), 'to c');
  t.deepEqual((await client.take(cluster)).removedResources, ['b']);
});

test('a NACK counts as answered for the order', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [lds('l')] });
  const client = await connected(t, port);
  publish({ upserts: [cds('bad'), srds('h')] });
  client.nack(await client.receive(cluster), 'no');
  t.deepEqual(namesOf(await client.take(scopedRoute)), ['h']);
});

test('big answers are split', async (t) => {
  const { server, port } = await startXds(t, { maxResponseBytes: 10_000 });
  const text = 'x'.repeat(1_000);
  publisher(server)({ upserts: Array.from({ length: 30 }, (_, at) => cds(`c${at}`, text + at)) });
  const client = new DeltaClient({ target: port });
  t.teardown(() => client.close());
  client.subscribe(cluster);
  const sizes: number[] = [];
  for (let seen = 0; seen < 30; ) {
    const response = await client.receive();
    t.deepEqual(await client.drain(), [], 'one at a time');
    client.ack(response);
    sizes.push(response.resources.length);
    seen += response.resources.length;
  }
  t.true(sizes.length >= 4 && sizes.every((size) => size < 10), String(sizes));
});

test('a gateway that is gone takes everything with it, in order, and may come back', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [cds('a'), lds('l'), srds('h')] });
  const client = await connected(t, port);
  publish({ gone: true });
  t.deepEqual((await client.take()).removedResources, ['l']);
  t.deepEqual((await client.take()).removedResources, ['h']);
  t.deepEqual((await client.take()).removedResources, ['a']);
  publish({ upserts: [cds('a')] });
  t.deepEqual(namesOf(await client.take()), ['a']);
});

test('the manifest comes last, with the digest of the own gateway', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [cds('a'), lds('l')] });
  const client = new DeltaClient({ target: port, metadata: { gatewright_version: '1.2.3' } });
  t.teardown(() => client.close());
  client.subscribe(snapshot, 'snapshot');
  client.subscribe(cluster);
  const clusters = await client.receive();
  t.is(clusters.typeUrl, cluster);
  client.ack(clusters);
  t.deepEqual(await client.drain(), [], 'a proxy that has not asked for listeners has applied nothing');
  client.subscribe(listener);
  const listeners = await client.receive();
  t.deepEqual(await client.drain(), []);
  client.ack(listeners);
  const marker = await client.receive(snapshot);
  t.deepEqual(namesOf(marker), ['snapshot']);
  t.deepEqual(decodeManifest(marker.resources[0]!.resource!.value), {
    id: 's1',
    generatedAt: new Date('2026-01-02T03:04:05.678Z'),
    gateways: 1,
    listeners: 2,
    routes: 3,
    backends: 4,
    digest: 'digest-of-s1',
  });
  t.like(server.nodes.find('node-1'), { ready: false, lastAckVersion: undefined, version: '1.2.3' });
  const done = nextEvent(server, applied('s1'));
  client.ack(marker);
  await done;
  t.like(server.nodes.find('node-1'), { ready: true, lastAckVersion: 's1' });
});

test('a change for another gateway brings only the new manifest', async (t) => {
  const { server, port } = await startXds(t);
  publisher(server)({ upserts: [lds('l')] });
  const client = await connected(t, port);
  client.subscribe(snapshot, 'snapshot');
  await client.take(snapshot);
  publisher(server, 'other/gw')({ upserts: [cds('x')] }, 's2');
  const marker = await client.take();
  t.is(decodeManifest(marker.resources[0]!.resource!.value).id, 's2');
  t.is(decodeManifest(marker.resources[0]!.resource!.value).digest, 'digest-of-s1');
});

test('a client that has the manifest already has applied it without another one', async (t) => {
  const { server, port } = await startXds(t);
  publisher(server)({ upserts: [lds('l')] });
  const client = new DeltaClient({ target: port, metadata: { gatewright_version: '1' } });
  t.teardown(() => client.close());
  const done = nextEvent(server, applied('s1'));
  client.send({ typeUrl: snapshot, resourceNamesSubscribe: ['snapshot'], initialResourceVersions: { snapshot: 's1' } });
  client.send({ typeUrl: listener, initialResourceVersions: { l: lds('l').version } });
  await client.take(listener);
  await done;
  t.deepEqual(await client.drain(), []);
});

test('manifests are exact under quick changes: a client that is sent the id of a snapshot has all of it', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  const rounds = 400;
  const history = new History();
  const change = (n: number): void => {
    const upserts = [cds(`c${n % 7}`, `${n}`), eds(`e${n % 3}`, `${n}`), srds(`h${n % 5}`, `${n}`)];
    if (n % 11 === 0) upserts.push(lds('l', `${n}`));
    const removals = n % 4 === 0 ? [srds(`h${(n + 2) % 5}`), cds(`c${(n + 3) % 7}`)].map(removalOf) : [];
    history.record(n, upserts, removals);
    publish({ upserts, removals }, `s${n}`);
  };
  change(0);
  const client = new DeltaClient({ target: port, metadata: { gatewright_version: '1' } });
  t.teardown(() => client.close());
  for (const typeUrl of [cluster, listener, scopedRoute]) client.subscribe(typeUrl);
  client.subscribe(endpoint, '*');
  client.subscribe(snapshot, 'snapshot');
  const has = new Map<string, number>();
  let manifests = 0;
  for (let n = 1; ; ) {
    const response = await client.take();
    if (response.typeUrl === snapshot) {
      manifests += 1;
      const reported = Number(response.resources[0]!.version.slice(1));
      t.deepEqual(history.faults(reported, has), []);
      if (reported === rounds) break;
    } else {
      for (const { name, resource } of response.resources) {
        has.set(`${response.typeUrl} ${name}`, Number(Buffer.from(resource!.value).toString()));
      }
      for (const name of response.removedResources) has.delete(`${response.typeUrl} ${name}`);
    }
    if (n <= rounds) change(n++);
  }
  t.true(manifests >= 20, `constant change does not starve manifests: ${manifests}`);
});

/** What each snapshot held: key → number of the change it came with. */
class History {
  readonly #snapshots = new Map<number, ReadonlyMap<string, number>>();
  readonly #removals = new Map<string, number>();
  #world = new Map<string, number>();

  record(n: number, upserts: readonly EnvoyResource[], removals: readonly { typeUrl: string; name: string }[]): void {
    this.#world = new Map(this.#world);
    for (const { typeUrl, name } of upserts) this.#world.set(`${typeUrl} ${name}`, n);
    for (const { typeUrl, name } of removals) {
      if (this.#world.delete(`${typeUrl} ${name}`)) this.#removals.set(`${typeUrl} ${name}`, n);
    }
    this.#snapshots.set(n, this.#world);
  }

  /** What a client that is sent the id of snapshot `n` lacks or has too much; it may be ahead, never behind. */
  faults(n: number, has: ReadonlyMap<string, number>): string[] {
    const wanted = this.#snapshots.get(n)!;
    const behind = [...wanted].filter(([key, from]) => {
      const got = has.get(key);
      return got === undefined ? (this.#removals.get(key) ?? 0) <= n : got < from;
    });
    const surplus = [...has].filter(([key, from]) => !wanted.has(key) && from <= n);
    return [...behind, ...surplus].map(([key]) => `${n}: ${key} is ${has.get(key)}`);
  }
}

test('listeners within the proxy go before clusters that lead to them, and what has gone of both lingers', async (t) => {
  const { server, port } = await startXds(t, { bindRetryMs: 20, lingerMs: 300 });
  const publish = publisher(server);
  publish({ upserts: [cds('a'), lds('http/80'), srds('h', 'a')] });
  const client = await connected(t, port);
  const route = cds('default/models/0/ai-route', 'one');
  publish({ upserts: [route, lds('ai/one'), lds('http/81'), srds('h', 'ai')] });
  const first = await client.take();
  t.deepEqual([first.typeUrl, namesOf(first)], [listener, ['ai/one']]);
  const second = await client.take();
  t.deepEqual([second.typeUrl, namesOf(second)], [cluster, ['default/models/0/ai-route']]);
  const rest = [await client.take(), await client.take()];
  t.deepEqual(rest.map(({ typeUrl, resources }) => [typeUrl, namesOf({ resources })]).sort(), [
    [listener, ['http/81']],
    [scopedRoute, ['h']],
  ]);
  publish({
    upserts: [srds('h', 'a')],
    removals: [removalOf(route), removalOf(lds('ai/one')), removalOf(lds('http/81'))],
  });
  const third = [await client.take(), await client.take()];
  t.deepEqual(
    third.map(({ typeUrl, removedResources }) => [typeUrl, removedResources]).sort(),
    [
      [listener, ['http/81']],
      [scopedRoute, []],
    ],
    'which have an address',
  );
  const gone = [await client.take(), await client.take()];
  t.deepEqual(gone.map(({ typeUrl, removedResources }) => [typeUrl, removedResources]).sort(), [
    [cluster, ['default/models/0/ai-route']],
    [listener, ['ai/one']],
  ]);
});
