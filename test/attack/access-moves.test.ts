import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { DataPlaneAgentOptions } from '../../src/agent/index.ts';
import { folder, record, startAgent, untilReady } from '../support/agent-world.ts';
import { ask } from '../support/ir-proxy.ts';
import { atRule, move, moveWhileAway, moving, startMoving, states, strangers } from '../support/moving-demands.ts';
import { every, repetitions, thorough } from '../support/repetitions.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/**
 * Demands move between levels of a table that several listeners share, and each state of them demands something of all requests to one host: who shows
 * nothing never gets in.
 */

async function startWorld(t: ExecutionContext, options: Partial<DataPlaneAgentOptions>) {
  const world = await startMoving(t, 'node-1');
  const agent = await startAgent(t, world.controlPlane.address, options);
  await untilReady(agent);
  await world.applied('s1');
  return { ...world, agent };
}

for (const concurrency of every(2, [1, 2]))
  test(`a demand that moves in a table which listeners share holds at every moment, workers: ${concurrency}`, async (t) => {
    const world = await startWorld(t, { concurrency });
    const stop = strangers(world.port, moving, 8);
    await move(world, states.length * repetitions({ few: 2, all: 11 }));
    const seen = await stop();
    t.log(Object.fromEntries(seen));
    t.deepEqual([...seen.keys()], ['403']);
  });

thorough(test)(
  'a demand that moved while no control plane was there holds when another one comes, and in an agent that starts from its cache',
  async (t) => {
    const cache = { directory: join(folder(t), 'cache') };
    const world = await startWorld(t, { cache });
    const { port, controlPlane, agent, publish, applied } = world;
    const stop = strangers(port, moving, 8);
    await moveWhileAway(world);
    const seen = await stop();
    t.log(Object.fromEntries(seen));
    t.false(seen.has('200'));
    t.true(seen.has('403'));

    const kept = async () => (await record(agent, 'status')).cache.written_at !== null;
    await until('the configuration on disk', kept);
    await controlPlane.stop();
    await agent.stop({ drain: false });
    const next = await startAgent(t, controlPlane.address, { cache });
    await untilReady(next);
    t.is((await record(next, 'status')).serving, 'cached');
    const stopNext = strangers(port, moving, 8);
    const id = publish(atRule);
    await controlPlane.start();
    await applied(id);
    const seenNext = await stopNext();
    t.log(Object.fromEntries(seenNext));
    t.false(seenNext.has('200'));
    t.is((await ask(port, { host: `${moving}:${port}` })).status, 403);
  },
);

const group = 'gateway.networking.k8s.io';
const keys = { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-key' }] };
const policy = (
  name: string,
  target: { readonly kind: string; readonly name: string; readonly sectionName?: string },
) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group, ...target }], apiKeys: keys },
});
const gateway = (name: string, port: number, ...hosts: readonly string[]) => ({
  apiVersion: `${group}/v1`,
  kind: 'Gateway',
  metadata: { name },
  spec: {
    gatewayClassName: 'gatewright',
    listeners: hosts.map((host) => ({ name: host.slice(0, 1), port, protocol: 'HTTP', hostname: host })),
  },
});

/** Where the demand for one of the hosts may be; the last two are two at once. */
const places = {
  'a.test': [
    [policy('one', { kind: 'Gateway', name: 'edge' })],
    [policy('one', { kind: 'HTTPRoute', name: 'a' })],
    [policy('one', { kind: 'Gateway', name: 'edge', sectionName: 'a' })],
    [policy('one', { kind: 'HTTPRoute', name: 'a', sectionName: 'all' })],
    [policy('one', { kind: 'Gateway', name: 'edge' }), policy('more', { kind: 'HTTPRoute', name: 'a' })],
  ],
  'c.test': [
    [policy('two', { kind: 'HTTPRoute', name: 'c' })],
    [policy('two', { kind: 'Gateway', name: 'team' })],
    [policy('two', { kind: 'Gateway', name: 'team', sectionName: 'c' })],
  ],
};

/** Each place of one demand with each of the other. */
const pairs = places['a.test'].length * places['c.test'].length;

/** Two Gateways of one class whose proxies they share, and the port; one of them has two listeners there. */
async function startShared(t: ExecutionContext) {
  const standalone = await startStandalone();
  t.teardown(() => standalone.stop());
  const [gatewayClass] = standalone.gatewayObjects as [{ spec: object }];
  const parametersRef = { group: 'gatewright.dev', kind: 'DataPlane', namespace: 'default', name: 'shared' };
  standalone.write(
    'gateway.yaml',
    { ...gatewayClass, spec: { ...gatewayClass.spec, parametersRef } },
    {
      apiVersion: 'gatewright.dev/v1alpha1',
      kind: 'DataPlane',
      metadata: { name: 'shared' },
      spec: { shared: { namespace: 'default' } },
    },
    gateway('edge', standalone.port, 'a.test', 'b.test'),
    gateway('team', standalone.port, 'c.test'),
  );
  const rules = [{ name: 'all', backendRefs: [{ name: 'web', port: 80 }] }];
  const toTeam = routeObject('c', 'c.test', rules) as { spec: object };
  standalone.write(
    'routes.yaml',
    ...(await standalone.backend('web')),
    routeObject('a', 'a.test', rules),
    routeObject('b', 'b.test', rules),
    { ...toTeam, spec: { ...toTeam.spec, parentRefs: [{ name: 'team' }] } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'keys', labels: { 'gatewright.dev/credentials': 'true' } },
      stringData: { ann: 'key-1' },
    },
    // The neighbour's demand is in the same filter at all times.
    policy('b', { kind: 'Gateway', name: 'edge', sectionName: 'b' }),
  );
  return standalone;
}

/** Puts the policies in the place of the former ones; resolves when the proxy has them. */
async function putPolicies(standalone: Standalone, count: number): Promise<void> {
  const { builder, graph } = standalone.control;
  const policies = Object.values(places).flatMap((all) => all[count % all.length] ?? []);
  const marker = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'count' },
    data: { 'jwks.json': `${count}` },
  };
  standalone.write('policies.yaml', ...policies, marker);
  const isRead = () =>
    graph.find('ConfigMap', 'default/count')?.data?.['jwks.json'] === `${count}` &&
    graph.count('AccessPolicy') === policies.length + 1;
  await until('the policies to be read', isRead);
  await builder.settled();
  await until('the proxy to have them', () => isCurrent(standalone));
}

thorough(test)(
  'a demand that moves in a table of Gateways which share their proxies holds at every moment',
  async (t) => {
    const standalone = await startShared(t);
    const { port } = standalone;
    await putPolicies(standalone, 0);
    const guarded = async (host: string) => (await standalone.get(`${host}:${port}`)).status === 401;
    await until(
      'the guards to hold',
      async () => (await guarded('a.test')) && (await guarded('b.test')) && (await guarded('c.test')),
    );
    const stops = ['a.test', 'b.test', 'c.test'].map((host) => strangers(port, host, 3));
    const moves = pairs * repetitions({ few: 1, all: 7 });
    for (let count = 1; count <= moves; count += 1) await putPolicies(standalone, count);
    const seen = await Promise.all(stops.map((stop) => stop()));
    t.log(...seen.map((each) => Object.fromEntries(each)));
    t.deepEqual(
      seen.map((each) => [...each.keys()]),
      [['401'], ['401'], ['401']],
    );
  },
);
