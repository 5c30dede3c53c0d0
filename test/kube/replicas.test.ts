import anyTest, { type TestFn } from 'ava';
import { type Lease, leaseType } from '../../src/cluster/leader/lease.ts';
import { kinds } from '../../src/gateway-api/index.ts';
import { get, Load } from '../cluster/support/http.ts';
import type { ControlPlaneProcess } from '../support/control-plane-process.ts';
import { KubeApiServer } from '../support/kube-apiserver.ts';
import { programmed, routeYaml, startWorld, untilCurrent, untilServed, type World } from '../support/two-replicas.ts';
import { until, untilFits } from '../support/until.ts';

/*
 * Control planes as processes over one API server, a data plane with a real Envoy, and requests all the while: whatever
 * happens to the control planes, no request may fail.
 */

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const patient = 900_000;
const lease = { namespace: 'default', name: 'gatewright-leader' };

test.before(async (t) => {
  t.timeout(patient);
  t.context = { api: await KubeApiServer.start() };
  for (const plural of ['gatewayclasses', 'gateways', 'httproutes'])
    await t.context.api.installCrd(`${plural}.gateway.networking.k8s.io`);
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});
test.afterEach.always(async (t) => {
  await t.context.api.client.delete(leaseType, lease).catch(() => undefined);
});

/** An answer with no resource in it: type, nonce and snapshot. */
const emptyBytes = 120;

/** Types of which resources were sent, manifests left out. */
async function configurationSent(replica: ControlPlaneProcess): Promise<readonly string[]> {
  const bytes = Object.entries(await replica.pushedBytes());
  return bytes.flatMap(([type, sent]) => (type !== 'Snapshot' && sent > emptyBytes ? `${type} ${sent}` : []));
}

const startLoad = ({ port }: World): Load => new Load(() => get('127.0.0.1', '/', 'web.test', port));

test.serial('two control planes are one: for data planes, for status, and for clients of the admin API', async (t) => {
  t.timeout(patient);
  const world = await startWorld(t);
  const leader = world.start(0);
  await leader.leads();
  const standby = world.start(1);
  t.is(await standby.ready(), await leader.ready(), 'the same snapshot');

  world.way.lead(world.ports[1].xds);
  await world.agent();
  await programmed(t);
  await untilServed(world);
  t.false(await standby.isLeader(), 'what it reported was written by the other one');
  t.deepEqual(await configurationSent(leader), []);
  await untilCurrent(standby);

  const load = startLoad(world);
  world.way.cut();
  world.way.lead(world.ports[0].xds);
  world.way.heal();
  await untilCurrent(leader);
  t.deepEqual(await configurationSent(leader), [], 'what the data plane has is not sent again');
  const identity = await leader.identity();
  for (const replica of [leader, standby]) {
    const nodes = await untilFits(
      'one data plane',
      () => replica.json('/v1/nodes'),
      ([node]) => node?.replica === identity && node.ready,
    );
    t.is(nodes.length, 1);
  }

  await t.context.api.apply(routeYaml('more', 'more.test'));
  await untilServed(world, 'more.test');
  await untilFits(
    'the same snapshot',
    async () => [await leader.ready(), await standby.ready()],
    ([one, other]) => one === other,
  );
  await untilFits(
    'no warning',
    async () => (await leader.json('/v1/summary')).warnings as readonly object[],
    (warnings) => warnings.length === 0,
  );
  const served = world.backend.requests.length;
  await until('more requests', () => world.backend.requests.length > served + 10);
  t.deepEqual(Object.keys(await load.stop()), ['200']);
  await t.context.api.client.delete(kinds.HTTPRoute, { namespace: 'default', name: 'more' });
});

test.serial('a leader that is stopped hands over its lease and its data planes', async (t) => {
  t.timeout(patient);
  const world = await startWorld(t);
  const leader = world.start(0);
  await leader.leads();
  await world.agent();
  await programmed(t);
  await untilServed(world);
  await untilCurrent(leader);
  const other = world.start(1);
  const id = await other.ready();
  const load = startLoad(world);

  // As a Service does, which sends no client to a pod that is ending.
  world.way.lead(world.ports[1].xds);
  const holder = async () => (await t.context.api.client.get<Lease>(leaseType, lease)).spec?.holderIdentity;
  const former = await holder();
  t.is(await leader.terminate(), 0);
  t.not(await holder(), former, 'it gives the lease back, so that no other waits for its end');
  await other.leads();
  await untilCurrent(other);
  t.deepEqual(await configurationSent(other), []);
  t.is(await other.ready(), id);

  const back = world.start(0);
  t.is(await back.ready(), id, 'the same snapshot after a restart');
  await t.context.api.apply(routeYaml('more', 'more.test'));
  await untilServed(world, 'more.test');
  t.deepEqual(Object.keys(await load.stop()), ['200']);
  await t.context.api.client.delete(kinds.HTTPRoute, { namespace: 'default', name: 'more' });
});

test.serial('control planes that are killed lose nothing, and one that starts again changes nothing', async (t) => {
  t.timeout(patient);
  const world = await startWorld(t);
  const first = world.start(0);
  await first.leads();
  const second = world.start(1);
  await second.ready();
  await world.agent();
  await programmed(t);
  await untilServed(world);
  const load = startLoad(world);

  world.way.lead(world.ports[1].xds);
  await first.kill();
  await untilCurrent(second);
  t.deepEqual(await configurationSent(second), []);
  await t.context.api.apply(routeYaml('more', 'more.test'));
  await untilServed(world, 'more.test');
  await second.leads();
  const id = await second.ready();
  const gone = await untilFits(
    'the loss to be seen',
    () => second.json('/v1/replicas'),
    ([, other]) => other?.state === 'unreachable',
  );
  t.is(gone.length, 2);

  await second.kill();
  const again = world.start(1);
  t.is(await again.ready(), id, 'made from what there is, not from what was remembered');
  await untilCurrent(again);
  t.deepEqual(await configurationSent(again), []);
  await untilServed(world, 'more.test');
  t.deepEqual(Object.keys(await load.stop()), ['200']);
  await t.context.api.client.delete(kinds.HTTPRoute, { namespace: 'default', name: 'more' });
});
