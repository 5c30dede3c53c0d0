import test from 'ava';
import { agentToken } from '../support/agent-world.ts';
import { repetitions } from '../support/repetitions.ts';
import { request } from '../support/request.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

interface Config {
  readonly version: string;
  readonly routes: readonly { readonly name: string; readonly hosts: readonly string[]; readonly routes: number }[];
}

const manyHosts = repetitions({ few: 100, all: 2000 });

test('the configuration report of an agent has the routes that Envoy runs, with their hosts', async (t) => {
  t.timeout(600_000);
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const rules = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const toWeb = { backendRefs: [{ name: 'web', port: 80 }] };
  const two = [
    { ...toWeb, matches: [{ path: { type: 'PathPrefix', value: '/a' } }] },
    { ...toWeb, matches: [{ path: { type: 'PathPrefix', value: '/b' } }] },
  ];
  gateway.write('web.yaml', ...(await gateway.backend('web')));
  gateway.write('routes.yaml', routeObject('shop', 'shop.test', two), routeObject('wild', '*.wild.test', rules));
  const config = async (): Promise<Config> => {
    const headers = { authorization: `Bearer ${agentToken}` };
    return (await (await request(`http://127.0.0.1:${gateway.agentPort}/api/v1/config`, { headers })).json()) as Config;
  };
  await until('the routes to be served', async () => (await gateway.get('shop.test', '/a')).status === 200);
  const { routes } = await config();
  const of = (host: string) => routes.filter(({ hosts }) => hosts.includes(host));
  t.deepEqual(
    of('shop.test').map(({ routes: count }) => count),
    [2],
  );
  t.is(of('*.wild.test').length, 1);

  const many = Array.from({ length: manyHosts }, (_, index) => routeObject(`many-${index}`, `h${index}.test`, rules));
  gateway.write('many.yaml', ...many);
  await until('all of them to be served', async () => (await gateway.get(`h${manyHosts - 1}.test`)).status === 200);
  const hosts = new Set((await config()).routes.flatMap((table) => table.hosts));
  t.deepEqual(
    Array.from({ length: manyHosts }, (_, index) => `h${index}.test`).filter((host) => !hosts.has(host)),
    [],
  );

  const url = `http://127.0.0.1:${gateway.agentPort}/api/v1/config?raw=true`;
  const headers = { authorization: `Bearer ${agentToken}` };
  const head = await request(url, { method: 'HEAD', headers });
  t.deepEqual([head.status, await head.text()], [200, '']);
  // A reader that goes away in the middle of a dump of megabytes.
  await (await request(url, { headers })).body?.cancel();
  const { configs } = (await (await request(url, { headers })).json()) as { configs: Record<string, unknown>[] };
  const typed = (type: string) => configs.find((config) => String(config['@type']).endsWith(type));
  t.regex(JSON.stringify(typed('ScopedRoutesConfigDump')), /h0\.test/);
  t.not(typed('EndpointsConfigDump'), undefined);
});
