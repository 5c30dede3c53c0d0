import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type * as ir from '../../src/ir/index.ts';
import { startAgent, startControlPlane, untilReady } from '../support/agent-world.ts';
import { send, startBackend } from '../support/http.ts';
import { httpListener, route, snapshotOf, table, translateAll, virtualHost } from '../support/ir.ts';
import { until, untilFits } from '../support/until.ts';

/** A token provider with keys that Envoy rejects. */
const rejected: ir.Access = {
  jwt: {
    optional: false,
    providers: [{ id: 'a/b/c', audiences: [], keys: 'no JSON', from: [], forwardToken: false, claimsToHeaders: [] }],
  },
};
const anyClient: ir.Access = { clientIPs: { deny: [] } };
const noClient: ir.Access = { clientIPs: { allow: [], deny: [] } };

test('what proxies reject of one host’s policy leaves hosts that change with it what they demand', async (t) => {
  const [web, controlPlane, port] = [await startBackend(t), await startControlPlane(t), await freePort()];
  const key = `http/${port}`;
  const names = Array.from({ length: 9 }, (_, at) => `h${at}.test`);
  const publish = (id: string, accessOf: (name: string) => ir.Access) => {
    const hosts = names.map((name) =>
      virtualHost(name, [
        route(`default/${name}/rule/0/match/0`, '/', { filters: { access: { route: accessOf(name) } } }),
      ]),
    );
    const content = {
      listeners: [httpListener(key, port)],
      tables: [table(key, { exact: hosts })],
      backends: { web: web.port },
    };
    controlPlane.publish(id, translateAll(snapshotOf(content)));
  };
  publish('open', () => anyClient);
  const agent = await startAgent(t, controlPlane.address);
  await untilReady(agent);
  const ask = async (name: string) => (await send(port, { host: `${name}:${port}`, path: '/' })).status;
  const askAll = () => Promise.all(names.map(ask));
  const isOpen = (all: readonly number[]) => all.every((status) => status === 200);
  await until('all hosts to serve', async () => isOpen(await askAll()));
  // Each in its turn is the bad one, wherever it is in the response.
  for (const bad of names) {
    publish(`closed-but-${bad}`, (name) => (name === bad ? rejected : noClient));
    const wanted = names.map((name) => (name === bad ? 500 : 403));
    const closed = await untilFits('all hosts to be closed', askAll, (all) => isDeepStrictEqual(all, wanted));
    t.deepEqual(closed, wanted);
    publish(`open-after-${bad}`, () => anyClient);
    await untilFits('all hosts to be open again', askAll, isOpen);
  }
});
