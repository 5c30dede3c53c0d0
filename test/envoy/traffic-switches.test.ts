import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { freePort } from '../../scripts/free-port.ts';
import { kindModules } from '../../src/controllers/index.ts';
import { Graph } from '../../src/graph/index.ts';
import * as ir from '../../src/ir/index.ts';
import { toEnd } from '../../src/std/steps/index.ts';
import { answerOf, TrafficStore } from '../../src/traffic/index.ts';
import { Translator } from '../../src/translate/index.ts';
import { XdsServer } from '../../src/xds/index.ts';
import { ask, folder, startAgent, untilReady } from '../support/agent-world.ts';
import { startEnvoy, xdsBootstrap } from '../support/envoy.ts';
import { send, serviceObjects } from '../support/http.ts';
import { unscraped } from '../support/metrics.ts';
import { controllerName, endpointSlice, gateway, gatewayClass, httpRoute, service } from '../support/objects.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';
import { put, someTime } from '../support/world.ts';

const key = 'default/gw';
const intervalMs = 300;
const rule = (name: string) => ({ backendRefs: [{ name, port: 80 }] });

interface Traffic {
  readonly totals: { readonly requests: number };
  readonly complete: boolean;
  readonly warnings: readonly string[];
}

test('with spec.traffic Off no request is counted and no failure kept, and the API says so; On counts again', async (t) => {
  t.timeout(600_000);
  const gone = await freePort();
  const world = await startStandalone({ 'gone.yaml': serviceObjects('gone', [gone]) });
  t.teardown(() => world.stop());
  const [gatewayClassObject, edge] = world.gatewayObjects as [object, { readonly spec: object }];
  const infrastructure = { parametersRef: { group: 'gatewright.dev', kind: 'DataPlane', name: 'edge' } };
  const switched = (traffic: string) =>
    world.write(
      'gateway.yaml',
      gatewayClassObject,
      { ...edge, spec: { ...edge.spec, infrastructure } },
      { apiVersion: 'gatewright.dev/v1alpha1', kind: 'DataPlane', metadata: { name: 'edge' }, spec: { traffic } },
    );
  const read = async (path: string) => (await world.json(world.control.ports.layout1, path)).body as Traffic;
  const isOff = ({ warnings }: Traffic) =>
    warnings.some((warning) => /^traffic is off for default\/edge/.test(warning));
  const get = async () => (await send(world.port, { host: 'gone.test' })).status;
  world.write('routes.yaml', routeObject('gone', 'gone.test', [rule('gone')]));
  switched('Off');
  await untilFits('it to be off', () => read('/v1/traffic'), isOff);
  await untilFits('Envoy to have the route', get, (status) => status === 503);
  await until('Envoy to be current', () => isCurrent(world));
  const before = (await read('/v1/traffic')).totals.requests;
  for (let at = 0; at < 20; at++) t.is(await get(), 503);
  t.false((await read('/v1/traffic')).complete);

  switched('On');
  let sent = 0;
  const { totals } = await untilFits(
    'requests to be counted',
    async () => {
      await get();
      sent += 1;
      return read('/v1/traffic');
    },
    (traffic) => !isOff(traffic) && traffic.totals.requests > before,
  );
  t.true(
    totals.requests - before <= sent,
    `${totals.requests - before} counted of ${sent}: none of those that came before`,
  );
});

/** A control plane for one Gateway with a route to `backends`, without API. */
async function controlPlane(t: ExecutionContext, backendPort: number) {
  const port = await freePort();
  const bind = (_: unknown, listened: number) => ({ address: '127.0.0.1', port: listened });
  const graph = new Graph({ controllerName, kinds: kindModules, bind });
  put(graph, gatewayClass(), gateway('gw', [{ port }]), service('web'));
  put(graph, endpointSlice('web', ['127.0.0.1'], { port: backendPort }));
  put(graph, httpRoute('r', { parentRefs: [{ name: 'gw' }] }));
  const { snapshot } = graph.build(someTime);
  const server = new XdsServer({ logger: pino({ level: 'silent' }), metrics: unscraped() });
  t.teardown(() => server.close());
  const store = new TrafficStore({ graph });
  server.agentServices.serveTraffic(store);
  const xds = await server.listen('127.0.0.1:0');
  const { id, generatedAt, counts } = snapshot;
  const changes = [...new Translator().translate(snapshot, ir.allChanges(snapshot))];
  server.publish({ marker: { id, generatedAt, ...counts }, changes, digests: new Map([[key, id]]) });
  const requests = () => {
    const question = { windowMs: 900_000, now: Date.now(), groupOf: () => 'all', byNode: false };
    return toEnd(answerOf(store, question)).groups.get('all')?.sums.requests ?? 0;
  };
  return { server, store, port, xds, requests };
}

/** How many of its counters of traffic an Envoy has. */
const countersOf = (socketPath: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const query = request({ socketPath, path: '/stats?filter=^gwt', agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(text.split('\n').filter(Boolean).length);
    });
    query.once('error', reject).end();
  });

test('counters that Envoy removes because nothing changes them lose and double no request', async (t) => {
  t.timeout(600_000);
  const stub = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
  // Envoy may be about to use a connection that would be closed for having been idle.
  stub.keepAliveTimeout = 0;
  await new Promise((resolve) => stub.once('listening', resolve));
  t.teardown(() => stub.close());
  const { store, port, xds, requests } = await controlPlane(t, (stub.address() as AddressInfo).port);
  const workDir = folder(t);
  // 50 reads: by those of the agent alone no counter goes for 15 s after a request.
  const bootstrap = { stats_eviction_interval: '250s' };
  const agent = await startAgent(t, `127.0.0.1:${xds}`, {
    cluster: key,
    trafficIntervalMs: intervalMs,
    workDir,
    bootstrap,
  });
  await untilReady(agent);
  const counters = () => countersOf(join(workDir, 'admin.sock'));
  let sent = 0;
  for (const some of [7, 3, 9]) {
    for (let at = 0; at < some; at++) t.is((await ask(port, '/')).status, 200);
    sent += some;
    await untilFits('all to be counted', requests, (counted) => counted >= sent);
    t.is(requests(), sent);
    const reads = await readsUntilNone(counters);
    t.true(reads > 10, `the counters outlive some reads: ${reads}`);
    // A counter that was removed and has come further than before until the next reading looks as if it had gone on.
    const removedAt = Date.now();
    await untilFits(
      'a reading without them',
      () => store.nodes[0]?.lastAt ?? 0,
      (at) => at > removedAt + 2 * intervalMs,
    );
  }
  t.is(requests(), sent);
});

/** Envoy counts by reads how long a counter was not used, and removes it at one of them: reads until it has removed all. */
async function readsUntilNone(counters: () => Promise<number>): Promise<number> {
  const most = 10_000;
  for (let reads = 0; reads < most; reads++) if ((await counters()) === 0) return reads;
  throw new Error(`Envoy still has the counters after ${most} reads`);
}

test('an Envoy that our agent did not start serves and stays small when a backend fails and no agent takes its failures', async (t) => {
  t.timeout(600_000);
  const { server, port, xds, requests } = await controlPlane(t, await freePort());
  const envoy = await startEnvoy({ bootstrap: xdsBootstrap({ xds, nodeId: 'foreign', cluster: key }) });
  t.teardown(() => envoy.stop());
  await untilFits(
    'an answer',
    () => ask(port, '/').catch(() => undefined),
    (answer) => answer?.status === 503,
  );
  const memory = async () => JSON.parse(await envoy.admin('/memory')) as { readonly allocated: string };
  for (let at = 0; at < 200; at++) t.is((await ask(port, '/')).status, 503);
  const before = Number((await memory()).allocated);
  for (let at = 0; at < 2000; at++) await ask(port, '/');
  const grown = Number((await memory()).allocated) - before;
  t.true(grown < 1024 * 1024, `failures that no agent takes are dropped: ${grown} bytes more`);
  t.true(envoy.running);
  t.is(server.nodes.find('foreign')?.lastAckVersion !== '', true, 'it has the snapshot');
  t.is(requests(), 0, 'no agent reports for it');
  t.true((await countersOf(envoy.adminSocket)) > 0, 'it counts, and its own statistics show that');
});
