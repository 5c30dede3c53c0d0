import test from 'ava';
import type * as ir from '../../src/ir/index.ts';
import { askingClients, byHttp1, byHttp2 } from '../support/asking-clients.ts';
import { faults, heldHost, LateTrafficWorld, otherHost, type Served, tableFaults } from '../support/late-traffic.ts';
import { until } from '../support/until.ts';

/**
 * Requests of one host wait for a server. The filter chain behind is empty until something of it is used, and then has all of its filters. Whatever it
 * becomes: those that wait are let in, who comes later meets every policy, and what comes after a rejected policy arrives.
 */

const teapot: ir.RouteFilters = { traffic: { faults: { abort: { status: 418, perMillion: 1_000_000 } } } };
/** No status is 99. */
const rejectedFaults: ir.Faults = { abort: { status: 99, perMillion: 0 } };
const bucket: ir.LimitBucket = {
  id: 'n/edge/b',
  phase: 'afterAuth',
  key: [],
  limits: [{ requests: 1, perMs: 3_600_000, burst: 1 }],
  status: 429,
};

const otherThan = (status: number, answers: readonly unknown[]): unknown[] =>
  answers.filter((answer) => answer !== status);

/** What is used first behind requests that wait, and the answer of those who meet it. */
const firsts = {
  'a fault of another route': [{ other: teapot }, 418],
  'a limit of another route': [{ other: { limits: { route: { target: 'n/other', buckets: [bucket] } } } }, 429],
  'a fault of the Gateway': [{ table: tableFaults(faults) }, 418],
  'a limit of the Gateway': [
    { table: { limits: { levels: [{ level: 'gateway', target: 'n/edge', buckets: [bucket] }] } } },
    429,
  ],
} as const;

for (const [what, [first, status]] of Object.entries(firsts))
  test(`${what} comes and goes behind requests that wait: all are let in, and who comes later meets it`, async (t) => {
    const world = await LateTrafficWorld.start(t);
    const { envoyPid } = world;
    const before = await world.wait(10);
    const meets = () => world.answers(otherHost, status);
    t.is(await world.filters(), 0, 'nothing is used');
    world.publish(first);
    await world.applied();
    t.true((await world.filters()) > 0);
    await meets();
    const during = await world.wait(10);
    world.publish({});
    await world.applied();
    t.is(await world.statusOf(otherHost), 200);
    const after = await world.wait(10);
    world.publish(first);
    await world.applied();
    await meets();
    world.publish({});
    await world.applied();
    world.release();
    for (const { answers } of [before, during, after]) t.deepEqual(otherThan(200, await answers), []);
    t.is(world.envoyPid, envoyPid, 'Envoy runs on');
  });

test('what a route has behind its own server holds for all who began with it, and for none who began before', async (t) => {
  const world = await LateTrafficWorld.start(t);
  const { envoyPid } = world;
  const before = await world.wait(10);
  world.publish({ held: teapot });
  await world.applied();
  const during = await world.wait(10);
  world.publish({});
  await world.applied();
  const after = await world.wait(10);
  // Whatever may go has gone: the listener is another, and each chain was sent that is to be.
  world.publish({ edge: 'last' });
  await world.applied();
  await world.edgeIs('last');
  world.release();
  t.deepEqual(otherThan(200, await before.answers), []);
  t.deepEqual(otherThan(418, await during.answers), []);
  t.deepEqual(otherThan(200, await after.answers), []);
  t.is(world.envoyPid, envoyPid, 'Envoy runs on');
});

test('after Envoy rejected what is the first behind requests that wait, all else arrives, and it itself when it is corrected', async (t) => {
  const world = await LateTrafficWorld.start(t);
  const { envoyPid } = world;
  const rejected = world.rejected();
  const arrives = async (edge: string, served: Served) => {
    world.publish({ ...served, edge });
    await world.edgeIs(edge);
  };
  const waiting = [await world.wait(10)];
  const bad = tableFaults(rejectedFaults);
  await arrives('one', { table: bad });
  await until('Envoy to reject it', () => rejected.length > 0);
  waiting.push(await world.wait(10));
  await arrives('two', { table: bad, other: teapot });
  await world.answers(otherHost, 418);
  await arrives('three', {});
  await world.answers(otherHost, 200);
  waiting.push(await world.wait(10));
  await arrives('four', { table: bad });
  await arrives('five', { table: tableFaults(faults) });
  await world.answers(otherHost, 418);
  world.release();
  for (const { answers } of waiting) t.deepEqual(otherThan(200, await answers), []);
  t.deepEqual(
    [...new Set(rejected)],
    [`lists/gatewright.traffic.faults/http/${world.port}`],
    'nothing that leads there',
  );
  t.is(world.envoyPid, envoyPid, 'Envoy runs on');
});

test('the same where the control plane ends at the moment when Envoy rejects it', async (t) => {
  const world = await LateTrafficWorld.start(t);
  const { envoyPid, controlPlane } = world;
  const waiting = await world.wait(10);
  const ended = new Promise<void>((resolve) => {
    controlPlane.server.onNode(({ kind }) => {
      if (kind === 'nacked') resolve(controlPlane.stop());
    });
  });
  world.publish({ table: tableFaults(rejectedFaults) });
  await ended;
  await controlPlane.start();
  const seen = world.rejected();
  world.publish({ edge: 'new', other: teapot });
  await world.edgeIs('new');
  await world.answers(otherHost, 418);
  world.release();
  t.deepEqual(otherThan(200, await waiting.answers), []);
  t.deepEqual(seen, []);
  t.is(world.envoyPid, envoyPid, 'Envoy runs on');
});

test('a control plane that comes back finds what it left behind requests that wait, empty or not', async (t) => {
  const world = await LateTrafficWorld.start(t);
  const { envoyPid, controlPlane } = world;
  const again = async () => {
    await controlPlane.stop();
    await controlPlane.start();
  };
  const before = await world.wait(10);
  await again();
  world.publish({ held: teapot });
  await world.applied();
  const during = await world.wait(10);
  world.publish({});
  await world.applied();
  await again();
  world.publish({ edge: 'new' });
  await world.applied();
  await world.edgeIs('new');
  world.release();
  t.deepEqual(otherThan(200, await before.answers), []);
  t.deepEqual(otherThan(418, await during.answers), []);
  t.is(world.envoyPid, envoyPid, 'Envoy runs on');
});

for (const by of [byHttp1, byHttp2])
  test(`under load by ${by.name} the chain behind gets its filters and loses them: no request fails, or passes a policy`, async (t) => {
    const world = await LateTrafficWorld.start(t);
    const { envoyPid } = world;
    for (let turn = 0; turn < 8; turn += 1) {
      world.publish({});
      await world.applied();
      t.is(await world.filters(), 0, 'nothing is used');
      const waiting = await world.wait(5);
      world.lets = true;
      const stops = [heldHost, otherHost].map((host) => askingClients(world.port, `${host}:${world.port}`, by));
      world.publish({ other: teapot });
      await world.applied();
      t.is(await world.statusOf(otherHost), 418);
      world.publish({});
      await world.applied();
      t.is(await world.statusOf(otherHost), 200);
      const [held, other] = await Promise.all(stops.map((stop) => stop()));
      world.lets = false;
      world.release();
      t.deepEqual([...(held?.keys() ?? [])], ['200 held']);
      t.deepEqual(
        [...(other?.keys() ?? [])].filter((line) => line !== '200 other' && line !== '418 other'),
        [],
      );
      t.deepEqual(otherThan(200, await waiting.answers), []);
      // None waits: the chain may lose its filters.
      world.publish({ waits: false });
      await world.emptied();
    }
    t.is(world.envoyPid, envoyPid, 'Envoy runs on');
  });
