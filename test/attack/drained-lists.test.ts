import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type * as ir from '../../src/ir/index.ts';
import { startAgent, startControlPlane, untilReady } from '../support/agent-world.ts';
import { route, snapshotOf, table, translateAll, virtualHost } from '../support/ir.ts';
import { until } from '../support/until.ts';

/*
 * Where requests wait, what routes name in their filter chains is in lists beside these. Envoy 1.40 ends when such a list changes while it destroys a listener,
 * or a filter chain of one, that led there. Who may change a listener and a limit could end a shared proxy, again and again.
 */

const drainTimeMs = 1000;
const drains = 8;

const buckets = (requests: number): readonly ir.LimitBucket[] => [
  {
    id: 'n/p/s',
    phase: 'afterAuth',
    key: [],
    limits: [{ requests, perMs: 3_600_000, burst: requests }],
    status: 429,
    shared: 'ownPart',
  },
];

/** Listeners whose requests wait for a limit. Filter chains of another name take the place of those before, which are drained. */
function world(ports: readonly number[], chain: string, requests: number) {
  const filters: ir.RouteFilters = { limits: { rule: { target: 'r', buckets: buckets(requests) } } };
  const host = virtualHost('a.test', [route('r', '/', { filters })]);
  return translateAll(
    snapshotOf({
      listeners: ports.map((port) => ({
        key: `http/${port}`,
        transport: 'tcp',
        bind: { address: '127.0.0.1', port },
        chains: [{ kind: 'http', name: chain, table: `http/${port}` }],
      })),
      tables: ports.map((port) => table(`http/${port}`, { exact: [host] })),
    }),
  );
}

test('limits change while listeners with them are destroyed, and Envoy goes on', async (t) => {
  t.timeout(600_000);
  const ports = await Promise.all(Array.from({ length: 8 }, () => freePort()));
  const controlPlane = await startControlPlane(t);
  controlPlane.publish('0', world(ports, 'chain-0', 1));
  const agent = await startAgent(t, controlPlane.address, { drainTimeMs });
  await untilReady(agent);
  const isApplied = (id: string) =>
    controlPlane.server.nodes.list().some(({ lastAckVersion }) => lastAckVersion === id);
  const begunAt = Date.now();
  let changes = 0;
  for (let chain = 0; chain < drains; ) {
    changes += 1;
    chain = Math.floor((Date.now() - begunAt) / (1.5 * drainTimeMs));
    controlPlane.publish(String(changes), world(ports, `chain-${chain}`, changes));
    await until(`change ${changes} to be applied`, () => isApplied(String(changes)));
    t.is((await agent.state()).envoy.restarts, 0, `change ${changes}`);
  }
});

test('a listener changes all the time, and limits of others change meanwhile', async (t) => {
  t.timeout(600_000);
  const [own, others] = [await freePort(), await freePort()];
  const controlPlane = await startControlPlane(t);
  let [change, requests] = [0, 1];
  const publish = () =>
    controlPlane.publish(`${requests} ${change}`, [
      ...world([own], `chain-${change}`, 1),
      ...world([others], 'chain', requests),
    ]);
  publish();
  const agent = await startAgent(t, controlPlane.address, { drainTimeMs });
  await untilReady(agent);
  const churn = setInterval(() => {
    change += 1;
    publish();
  }, 100);
  t.teardown(() => clearInterval(churn));
  await until('chains to change', () => change > 2 * (drainTimeMs / 100));
  for (requests = 2; requests < 5; requests += 1) {
    await until(`limit ${requests} to be applied`, () =>
      controlPlane.server.nodes.list().some(({ lastAckVersion }) => lastAckVersion?.startsWith(`${requests} `)),
    );
    t.is((await agent.state()).envoy.restarts, 0);
  }
});
