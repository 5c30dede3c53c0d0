import test, { type ExecutionContext } from 'ava';
import { typeUrls } from '../../../src/envoy/index.ts';
import type { EnvoyResource, Origin } from '../../../src/translate/index.ts';
import { DeltaClient, SotwClient } from '../../support/grpc.ts';
import { until } from '../../support/until.ts';
import { fakeResource, publisher, removalOf, startXds } from '../../support/xds.ts';

const { cluster, endpoint, listener, scopedRoute } = typeUrls;

/** A resource made from one thing. */
const single = (typeUrl: string, kind: Origin['kind'], name: string, text: string): EnvoyResource => ({
  ...fakeResource(typeUrl, name, text),
  provenance: { origins: () => [{ kind, key: name, digest: BigInt(text.length) }] },
});

/** A scope of routes, `NAME=CONTENT` each. */
const scope = (...routes: readonly string[]): EnvoyResource => ({
  ...fakeResource(scopedRoute, 'host', routes.join(' ')),
  provenance: {
    origins: () =>
      routes.map((route) => ({
        kind: 'route',
        key: nameOf(route),
        digest: BigInt(`0x${Buffer.from(route).toString('hex')}`),
      })),
    probe: (keys) => fakeResource(scopedRoute, 'probe', routes.filter((route) => keys.has(nameOf(route))).join(' ')),
    without: (_name, keys) => scope(...routes.filter((route) => !keys.has(nameOf(route)))),
  },
});

const nameOf = (route: string): string => route.split('=')[0] ?? '';

const textOf = (response: Awaited<ReturnType<DeltaClient['receive']>>): string =>
  [
    ...response.resources.map(({ name, resource }) => `${name}: ${Buffer.from(resource?.value ?? [])}`),
    ...response.removedResources.map((name) => `-${name}`),
  ].join(', ');

async function world(t: ExecutionContext) {
  const { server, port } = await startXds(t);
  const client = (nodeId: string) => {
    const made = new DeltaClient({ target: port, nodeId });
    t.teardown(() => made.close());
    return made;
  };
  const rejections = (nodeId: string) => server.nodes.find(nodeId)?.refusals.map(({ kind, key }) => `${kind} ${key}`);
  return { server, port, publish: publisher(server), client, rejections };
}

test('a cluster that is rejected is not sent again, nor removed; its next content is', async (t) => {
  const { publish, client, rejections } = await world(t);
  publish({ upserts: [single(cluster, 'backend', 'a', 'good'), single(cluster, 'backend', 'b', 'good')] });
  const one = client('one');
  one.subscribe(cluster, '*');
  await one.take(cluster);
  publish({ upserts: [single(cluster, 'backend', 'a', 'held')] });
  one.nack(await one.receive(cluster), 'a: no');
  await until('it to be known', () => rejections('one')?.length === 1);
  t.deepEqual(rejections('one'), ['backend a']);
  publish({ upserts: [single(cluster, 'backend', 'b', 'other')] });
  t.is(textOf(await one.take(cluster)), 'b: other', 'the neighbour alone');
  publish({ upserts: [single(cluster, 'backend', 'a', 'fixed!!!')] });
  t.is(textOf(await one.take(cluster)), 'a: fixed!!!');
  t.deepEqual(rejections('one'), []);
});

test('by the state of the world a rejected cluster stays what it was', async (t) => {
  const { publish, port, rejections } = await world(t);
  publish({ upserts: [single(cluster, 'backend', 'a', 'good')] });
  const one = new SotwClient({ target: port, nodeId: 'one' });
  t.teardown(() => one.close());
  one.subscribe(cluster, '*');
  await one.take(cluster);
  publish({ upserts: [single(cluster, 'backend', 'a', 'held')] });
  one.nack(await one.receive(cluster), 'a: no');
  await until('it to be known', () => rejections('one')?.length === 1);
  publish({ upserts: [single(cluster, 'backend', 'b', 'other')] });
  const { resources } = await one.take(cluster);
  t.deepEqual(resources.map(({ value }) => Buffer.from(value).toString()).sort(), ['good', 'other']);
});

test('of a host the rejected route is left out for the one that rejects it, and neighbours change for all', async (t) => {
  const { publish, client, rejections } = await world(t);
  publish({ upserts: [scope('a=1', 'b=1')] });
  const [one, other] = [client('one'), client('other')];
  for (const each of [one, other]) {
    each.subscribe(scopedRoute, '*');
    await each.take(scopedRoute);
  }
  publish({ upserts: [scope('a=1', 'b=1', 'bad=1')] });
  one.nack(await one.receive(scopedRoute), 'no');
  const probe = await one.receive(scopedRoute);
  t.is(textOf(probe), 'probe: bad=1', 'what changed is looked at first');
  one.nack(probe, 'still no');
  t.is(textOf(await other.take(scopedRoute)), 'host: a=1 b=1 bad=1');
  t.is(textOf(await one.take(scopedRoute)), 'host: a=1 b=1');
  t.is(textOf(await one.take(scopedRoute)), '-probe');
  t.deepEqual(rejections('one'), ['route bad']);
  t.deepEqual(rejections('other'), []);
  publish({ upserts: [scope('a=2', 'b=1', 'bad=1')] });
  t.is(textOf(await one.take(scopedRoute)), 'host: a=2 b=1');
  t.is(textOf(await other.take(scopedRoute)), 'host: a=2 b=1 bad=1');
  publish({ upserts: [scope('a=2', 'b=1', 'bad=2')] });
  t.is(textOf(await one.take(scopedRoute)), 'host: a=2 b=1 bad=2');
  t.deepEqual(rejections('one'), []);
});

test('a listener that a client rejected and never had is reported as removed; one that it has is left', async (t) => {
  const { publish, client, rejections } = await world(t);
  publish({ upserts: [single(listener, 'listener', 'a', 'good')] });
  const one = client('one');
  one.subscribe(listener, '*');
  await one.take(listener);
  publish({ upserts: [single(listener, 'listener', 'a', 'held'), single(listener, 'listener', 'new', 'held!')] });
  one.nack(await one.receive(listener), 'Error adding/updating listener(s) a: no\nnew: no');
  t.is(textOf(await one.take(listener)), '-new');
  t.deepEqual(rejections('one')?.sort(), ['listener a', 'listener new']);
});

test('what was rejected is offered again when that is asked for, and to a new stream', async (t) => {
  const { publish, client, rejections, server } = await world(t);
  publish({ upserts: [single(cluster, 'backend', 'a', 'held')] });
  const one = client('one');
  one.subscribe(cluster, '*');
  one.nack(await one.receive(cluster), 'a: no');
  await until('it to be known', () => rejections('one')?.length === 1);
  t.true(server.offerAgain({ nodeId: 'one', cluster: 'default/gw' }));
  t.deepEqual(rejections('one'), []);
  t.is(textOf(await one.take(cluster)), 'a: held');
  t.deepEqual(rejections('one'), []);
  t.false(server.offerAgain({ nodeId: 'unknown', cluster: 'default/gw' }));
  one.close();
  await until('it to have left', () => !server.nodes.find('one')?.connected);
  t.like(server.nodes.find('one'), { votes: false, refusalCount: 0 });
});

test('endpoints that were rejected are answered when they are asked for again, or a cluster would wait for them', async (t) => {
  const { publish, client, rejections } = await world(t);
  publish({ upserts: [fakeResource(cluster, 'a'), single(endpoint, 'endpoints', 'a', 'held')] });
  const one = client('one');
  one.subscribe(cluster, '*');
  await one.take(cluster);
  one.subscribe(endpoint, 'a');
  one.nack(await one.receive(endpoint), 'no');
  await until('it to be known', () => rejections('one')?.length === 1);
  one.subscribe(endpoint, 'a');
  t.is(textOf(await one.receive(endpoint)), 'a: held');
});

test('a node has applied a snapshot less what it rejects, and a rejection ends with its content', async (t) => {
  const { publish, client, rejections, server } = await world(t);
  const bad = single(cluster, 'backend', 'a', 'held');
  publish({ upserts: [bad] }, 'first');
  const one = client('one');
  one.subscribe(listener, '*');
  one.subscribe(cluster, '*');
  await one.take(listener);
  one.nack(await one.receive(cluster), 'a: no');
  await until('the snapshot to be applied', () => server.nodes.find('one')?.lastAckVersion === 'first');
  t.deepEqual(rejections('one'), ['backend a']);
  publish({ removals: [removalOf(bad)] });
  await until('it to be over', () => rejections('one')?.length === 0);
  t.pass();
});
