import test from 'ava';
import type { Pick, PickRequest } from '../../scripts/example/picker-server.ts';
import { pickOutcomes } from '../../src/contracts/index.ts';
import { endings } from '../support/endings.ts';
import type * as schemas from '../support/layout1-schemas.ts';
import { type PoolWorld, startPoolWorld } from '../support/pool-world.ts';
import { untilFits } from '../support/until.ts';

/** What proxies report of picks, for pools that no AIService is, through the running program and a real Envoy. */

type Picks = ReturnType<typeof schemas.picks.parse>;

const ends = endings(test);
let world: PoolWorld;
let pick: (request: PickRequest) => Pick;

test.before(async () => {
  world = await startPoolWorld(ends, { picker: { pick: (request) => pick(request) } });
});

const picksOf = async (query = ''): Promise<Picks> =>
  (await world.json(world.control.ports.layout1, `/v1/picks${query}`)).body as Picks;

const none = Object.fromEntries(pickOutcomes.map((outcome) => [outcome, 0]));

/** Sends so many requests, and waits until so many more are reported; says what they became. */
async function became(
  requests: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly outcomes: object; readonly endpoints: object }> {
  const before = (await picksOf()).items[0];
  for (let at = 0; at < requests; at += 1) await world.ask({ method: 'POST', body: 'hello', headers });
  const after = await untilFits(
    'all of them to be reported',
    async () => (await picksOf()).items[0],
    (found) => (found?.requests ?? 0) >= (before?.requests ?? 0) + requests,
  );
  const added = (now: Readonly<Record<string, number>> = none, then: Readonly<Record<string, number>> = none) =>
    Object.fromEntries(
      Object.entries(now)
        .map(([outcome, count]) => [outcome, count - (then[outcome] ?? 0)] as const)
        .filter(([, count]) => count !== 0),
    );
  const endpoints = after?.endpoints.map(({ endpoint, outcomes }) => {
    const then = before?.endpoints.find((each) => each.endpoint === endpoint)?.outcomes;
    return [endpoint, added(outcomes, then)] as const;
  });
  return {
    outcomes: added(after?.outcomes, before?.outcomes),
    endpoints: Object.fromEntries((endpoints ?? []).filter(([, counts]) => Object.keys(counts).length > 0)),
  };
}

test.serial('proxies report which server a picker chose, and which it got', async (t) => {
  const [first = '', second = ''] = world.servers.map(({ endpoint }) => endpoint);
  pick = () => ({ endpoint: first });
  t.deepEqual(await became(3), { outcomes: { picked: 3 }, endpoints: { [first]: { picked: 3 } } });
  pick = () => ({ endpoint: ` 127.0.0.99:1, ${second}`, by: 'metadata' });
  t.deepEqual(await became(2), { outcomes: { picked: 2 }, endpoints: { [second]: { picked: 2 } } });
  // Its beginning is a server's name.
  pick = () => ({ endpoint: `${second}0` });
  const { outcomes } = await became(2);
  t.deepEqual(outcomes, { replaced: 2 });
});

test.serial('they report what happened where the picker chose none', async (t) => {
  const endpoints = world.servers.map(({ endpoint }) => endpoint);
  pick = () => ({ status: 429, body: 'full' });
  t.deepEqual(await became(2), { outcomes: { answered: 2 }, endpoints: {} });
  pick = () => 'end';
  t.deepEqual(await became(3), { outcomes: { failed: 3 }, endpoints: {} });
  t.teardown(() => world.pool({}));
  await world.pool({ failureMode: 'FailOpen' });
  const open = await became(6);
  t.deepEqual(open.outcomes, { any: 6 });
  t.true(Object.keys(open.endpoints).every((endpoint) => endpoints.includes(endpoint)));
  await world.pool({ app: 'nothing' });
  pick = () => ({ endpoint: endpoints[0] ?? '' });
  t.deepEqual(await became(1), { outcomes: { unknown: 1 }, endpoints: {} });
  await world.pool({ picker: 'nothing' });
  t.deepEqual(await became(1), { outcomes: { failed: 1 }, endpoints: {} });
});

test.serial(
  'nothing is reported of a pool that names no picker, or of what servers and clients say of picks',
  async (t) => {
    const [first = ''] = world.servers.map(({ endpoint }) => endpoint);
    t.teardown(() => world.pool({}));
    const before = (await picksOf()).items[0]?.requests;
    await world.pool({ picker: null });
    t.is((await world.ask()).status, 200);
    await world.pool({});
    pick = () => ({ endpoint: first });
    const said = { 'x-gw-pick': 'any', 'x-gw-pick-endpoint': '10.9.9.9:1', 'x-gw-pick-named': first };
    t.deepEqual(await became(2, said), { outcomes: { picked: 2 }, endpoints: { [first]: { picked: 2 } } });
    // All of them were read by now.
    const [pool, ...others] = (await picksOf()).items;
    t.deepEqual(others, []);
    t.is(pool?.requests, (before ?? 0) + 2);
    t.false(pool?.endpoints.some(({ endpoint }) => endpoint === '10.9.9.9:1'));
    t.deepEqual((await picksOf('?name=other')).items, []);
    t.is((await picksOf('?namespace=default&name=llama&window=1h')).items.length, 1);
  },
);
