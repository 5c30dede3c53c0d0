import test, { type ExecutionContext } from 'ava';
import { plainAccess } from '../../src/agent/access/index.ts';
import { Leases } from '../../src/agent/limits/leases.ts';
import { callTakes } from '../../src/agent/limits/take-calls.ts';
import { ControlClient } from '../../src/agent/relay/index.ts';
import type { SharedBucket } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/std/queue/index.ts';
import { gateway, gatewayClass } from '../support/objects.ts';
import { startTwo, type TestReplica } from '../support/replica.ts';
import { until, untilFits } from '../support/until.ts';

/* Agents that take from limits of a Gateway, at two control planes that know each other. Windows are of an hour: nothing fills meanwhile. */

const bucketOf = (id: string, requests: number): SharedBucket => ({
  id,
  windows: [{ requests, perMs: 3_600_000, burst: requests }],
  shadow: false,
  closes: true,
});

function agentOf(t: ExecutionContext, { control }: TestReplica, nodeId: string, cluster = 'default/edge'): Leases {
  const client = new ControlClient({ address: `127.0.0.1:${control.ports.xds}`, access: plainAccess() });
  const leases = new Leases({ clock: systemClock, call: (takes) => callTakes({ client, nodeId, cluster }, takes) });
  t.teardown(() => {
    leases.stop();
    client.close();
  });
  return leases;
}

const known = ({ json }: TestReplica) =>
  untilFits(
    'both to know each other',
    () => json('/v1/replicas'),
    (all) => all.length === 2 && all.every(({ state }: { state: string }) => state === 'self' || state === 'connected'),
  );

/** Asks in turns until all is let through that the limit has; how many came through. */
async function drain(agents: readonly Leases[], bucket: SharedBucket, key: string, most: number): Promise<number> {
  let passed = 0;
  await until(`${most} to come through`, async () => {
    const verdicts = await Promise.all(
      agents.flatMap((agent) => [agent.ask(bucket, key, 1), agent.ask(bucket, key, 1)]),
    );
    passed += verdicts.filter(({ answer }) => answer === 'passed').length;
    return passed >= most;
  });
  const more = await Promise.all(agents.map((agent) => agent.ask(bucket, key, 1)));
  return passed + more.filter(({ answer }) => answer === 'passed').length;
}

const takesOf = async ({ get }: TestReplica) => {
  const text = await (await get('/metrics', 'metrics')).text();
  const count = (keeper: string) =>
    Number(new RegExp(`shared_limit_takes_total\\{keeper="${keeper}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
  return { self: count('self'), replica: count('replica') };
};

test('four agents at two control planes get what the limit has, wherever its keys are kept', async (t) => {
  const [a, b] = await startTwo(t, [gatewayClass(), gateway('edge')]);
  await Promise.all([known(a), known(b)]);
  const agents = [a, b, a, b].map((replica, at) => agentOf(t, replica, `node-${at}`));
  for (let key = 0; key < 6; key += 1) t.is(await drain(agents, bucketOf('default/p/b', 50), `key-${key}`, 50), 50);
  for (const replica of [a, b]) {
    const { self, replica: other } = await takesOf(replica);
    t.true(self > 0 && other > 0, 'each keeps some of them, and asks for the others');
  }
  // Another Gateway has buckets of its own.
  const other = agentOf(t, a, 'node-9', 'default/other');
  t.is((await other.ask(bucketOf('default/p/b', 50), 'key-0', 1)).answer, 'passed');
});

test('when the control plane that keeps a key ends, the next one learns from agents what was taken', async (t) => {
  const [a, b] = await startTwo(t, [gatewayClass(), gateway('edge')]);
  await Promise.all([known(a), known(b)]);
  const agents = [agentOf(t, a, 'node-1'), agentOf(t, a, 'node-2')];
  const bucket = bucketOf('default/p/b', 20);
  const keys = ['key-0', 'key-1', 'key-2', 'key-3', 'key-4', 'key-5'];
  for (const key of keys) {
    t.is(await drain(agents, bucket, key, 20), 20);
    await untilFits(
      'both to have heard that nothing is left',
      () => Promise.all(agents.map((agent) => agent.ask(bucket, key, 1))),
      (all) => all.every(({ answer, waitMs }) => answer === 'over' && waitMs > 0),
    );
  }
  const { replica: moved } = await takesOf(a);
  t.true(moved > 0, 'some of them were kept by the other one');
  await b.stop();
  for (const key of keys) {
    const verdicts = await untilFits(
      'an answer',
      () => Promise.all(agents.map((agent) => agent.ask(bucket, key, 1))),
      (all) => all.every(({ answer }) => answer !== 'unknown'),
    );
    t.deepEqual(
      verdicts.map(({ answer }) => answer),
      ['over', 'over'],
      key,
    );
  }
});
