import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { pino } from 'pino';
import { freePort } from '../../scripts/free-port.ts';
import { kindModules } from '../../src/controllers/index.ts';
import { Graph } from '../../src/graph/index.ts';
import * as ir from '../../src/ir/index.ts';
import { toEnd } from '../../src/std/steps/index.ts';
import { answerOf, TrafficStore } from '../../src/traffic/index.ts';
import { Translator } from '../../src/translate/index.ts';
import { XdsServer } from '../../src/xds/index.ts';
import { ask, startAgent, untilReady } from '../support/agent-world.ts';
import { unscraped } from '../support/metrics.ts';
import { controllerName, endpointSlice, gateway, gatewayClass, httpRoute, service } from '../support/objects.ts';
import { untilFits } from '../support/until.ts';
import { put, someTime } from '../support/world.ts';

const key = 'default/gw';

test('an upgrade in place counts no request twice, and loses at most those that end as the old Envoy does', async (t) => {
  t.timeout(600_000);
  const stub = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
  // Envoy may be about to use a connection that would be closed for having been idle.
  stub.keepAliveTimeout = 0;
  await new Promise((resolve) => stub.once('listening', resolve));
  t.teardown(() => stub.close());
  const port = await freePort();
  const bind = (_: unknown, listened: number) => ({ address: '127.0.0.1', port: listened });
  const graph = new Graph({ controllerName, kinds: kindModules, bind });
  put(graph, gatewayClass(), gateway('gw', [{ port }]), service('web'));
  put(graph, endpointSlice('web', ['127.0.0.1'], { port: (stub.address() as AddressInfo).port }));
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
  const agent = await startAgent(t, `127.0.0.1:${xds}`, { cluster: key, trafficIntervalMs: 300 });
  await untilReady(agent);

  let sent = 0;
  // Requests may end in the old Envoy after its counters were handed over for the last time: no more than wait for a reading at any moment.
  let mostLost = 2;
  const some = async (count: number) => {
    for (let at = 0; at < count; at += 1) {
      t.is((await ask(port, '/')).status, 200);
      sent += 1;
      mostLost = Math.max(mostLost, sent - requests());
    }
  };
  const requests = () => {
    const question = { windowMs: 900_000, now: Date.now(), groupOf: () => 'all', byNode: false };
    return toEnd(answerOf(store, question)).groups.get('all')?.sums.requests ?? 0;
  };
  await some(50);
  await untilFits('all to be counted', requests, (counted) => counted >= sent);
  const before = agent.envoyPid;
  let isOver = false;
  const upgrade = agent.upgrade({ logLevel: 'info' }).finally(() => {
    isOver = true;
  });
  while (!isOver) await some(5);
  await upgrade;
  t.not(agent.envoyPid, before);
  await some(100);
  const counted = await untilFits(`all ${sent} to be counted`, requests, (count) => count >= sent - mostLost);
  // What comes later shows that nothing of before is counted again.
  await some(50);
  await untilFits(`all ${sent} to be counted`, requests, (count) => count >= counted + 50);
  t.true(requests() <= sent, `${requests()} of ${sent}`);
});
