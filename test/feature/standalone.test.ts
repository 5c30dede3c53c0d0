import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { thorough } from '../support/repetitions.ts';
import { request } from '../support/request.ts';
import { gatewayWithDataPlane, routeObject, type Standalone, startStandalone, textOf } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

const to = (name: string) => ({ backendRefs: [{ name, port: 80 }] });
const at = (path: string, name: string) => ({ matches: [{ path: { type: 'PathPrefix', value: path } }], ...to(name) });
const status = (gateway: Standalone, host: string, path?: string) =>
  gateway.get(host, path).then((answer) => answer.status);
const isServing = (gateway: Standalone, host: string) =>
  untilFits(
    `${host} to be served`,
    () => status(gateway, host),
    (code) => code === 200,
  );

/** A gateway that answers for shop.test, from backend `one`. */
async function servingShop(t: ExecutionContext): Promise<Standalone> {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  gateway.write('backends.yaml', ...(await gateway.backend('one')));
  gateway.write('route.yaml', routeObject('shop', 'shop.test', [to('one')]));
  await isServing(gateway, 'shop.test');
  return gateway;
}

test.serial('editing, adding and removing files changes traffic', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  gateway.write('backends.yaml', ...(await gateway.backend('one')), ...(await gateway.backend('two')));
  gateway.write('route.yaml', routeObject('shop', 'shop.test', [to('one')]));
  await isServing(gateway, 'shop.test');
  t.is((await gateway.get('shop.test')).echo?.backend, 'one');
  gateway.write('route.yaml', routeObject('shop', 'shop.test', [to('two')]));
  await untilFits(
    'the other backend',
    () => gateway.get('shop.test'),
    ({ echo }) => echo?.backend === 'two',
  );
  t.is(await status(gateway, 'other.test'), 404);
  t.is((await gateway.get('SHOP.test')).echo?.backend, 'two', 'hosts are compared without case');
  gateway.remove('route.yaml');
  await untilFits(
    'the route to be gone',
    () => status(gateway, 'shop.test'),
    (code) => code === 404,
  );
});

thorough(test.serial)('a Gateway that comes back while its former proxy drains is served again', async (t) => {
  const gateway = await servingShop(t);
  gateway.remove('gateway.yaml');
  const logged = (text: string) => gateway.log.some(({ msg }) => String(msg).includes(text));
  await until('the drain', () => logged('draining Envoy'));
  gateway.write('gateway.yaml', ...gateway.gatewayObjects);
  await isServing(gateway, 'shop.test');
  t.false(logged('data plane did not start'));
});

test.serial(
  'a bootstrap that Envoy rejects is named in status and log without a stack, until it is corrected',
  async (t) => {
    const gateway = await servingShop(t);
    // A proxy that runs keeps its Envoy. This is one that begins so.
    gateway.remove('gateway.yaml');
    await until('the end of the former proxy', () => gateway.log.some(({ msg }) => msg === 'Envoy is drained'));
    const tagged = (tag: object) => ({ bootstrap: { stats_config: { stats_tags: [{ tag_name: 'team', ...tag }] } } });
    gateway.write('gateway.yaml', ...gatewayWithDataPlane(gateway.port, tagged({})));
    const { error, err } = await until('the log', () =>
      gateway.log.find(({ msg }) => msg === 'data plane did not start'),
    );
    const words =
      "dataplane.bootstrap: Envoy rejects it: No regex specified for tag specifier and no default regex for name: 'team'; correct that part or remove it";
    t.deepEqual([error, err], [words, undefined]);
    await until('the status', () => {
      const status = gateway.control.graph.statusOf('Gateway', 'default/edge');
      const programmed = status?.kind === 'Gateway' && status.conditions.find(({ type }) => type === 'Programmed');
      return programmed && programmed.status === 'False' && programmed.message.includes(words);
    });
    gateway.write('gateway.yaml', ...gatewayWithDataPlane(gateway.port, tagged({ fixed_value: 'shop' })));
    await isServing(gateway, 'shop.test');
  },
);

test.serial('one bad document takes nothing away: its last good version and its neighbours go on', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  gateway.write('backends.yaml', ...(await gateway.backend('one')));
  gateway.write('routes.yaml', routeObject('a', 'a.test', [to('one')]), routeObject('b', 'b.test', [to('one')]));
  await isServing(gateway, 'b.test');
  const good = textOf(gateway, 'routes.yaml');
  writeFileSync(
    join(gateway.directory, 'routes.yaml'),
    good.replace('a.test', 'new-a.test').replace('port: 80', 'prot: 80'),
  );
  const problem = await untilFits(
    'the problem to be logged',
    () => gateway.log.map(({ msg }) => String(msg)).find((msg) => msg.includes('routes.yaml:')),
    (line) => line !== undefined,
  );
  t.regex(String(problem), /routes\.yaml:\d+:\d+: .*prot/);
  t.is(await status(gateway, 'a.test'), 200);
  t.is(await status(gateway, 'b.test'), 200);
  writeFileSync(join(gateway.directory, 'routes.yaml'), good.replace('a.test', 'new-a.test'));
  await isServing(gateway, 'new-a.test');
});

thorough(test.serial)('a poisoned rule is named in the status and harms no other rule', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  gateway.write('backends.yaml', ...(await gateway.backend('one')));
  gateway.write('good.yaml', routeObject('good', 'good.test', [to('one')]));
  await isServing(gateway, 'good.test');
  const lookahead = { matches: [{ path: { type: 'RegularExpression', value: '/a(?=b)' } }], ...to('one') };
  gateway.write(
    'bad.yaml',
    routeObject('bad', 'good.test', [lookahead]),
    routeObject('late', 'late.test', [to('one')]),
  );
  await isServing(gateway, 'late.test');
  t.is(await status(gateway, 'good.test'), 200);
  const bad = gateway.control.graph.statusOf('HTTPRoute', 'default/bad');
  const accepted =
    bad?.kind === 'HTTPRoute' ? bad.parents[0]?.conditions.find(({ type }) => type === 'Accepted') : undefined;
  t.like(accepted, { status: 'False', reason: 'UnsupportedValue' });
  t.regex(accepted?.message ?? '', /a\(\?=b\)/);
  const nodes = gateway.control.xds.nodes.list();
  t.deepEqual(
    nodes.map(({ lastConfigStatus }) => lastConfigStatus),
    ['ACK'],
  );
});

thorough(test.serial)('a missing Service answers 500 and no match 404, and conditions say why', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  gateway.write('backends.yaml', ...(await gateway.backend('one')));
  gateway.write('route.yaml', routeObject('shop', 'shop.test', [at('/gone', 'missing'), at('/ok', 'one')]));
  await untilFits(
    'the good rule',
    () => status(gateway, 'shop.test', '/ok'),
    (code) => code === 200,
  );
  t.is(await status(gateway, 'shop.test', '/gone'), 500);
  t.is(await status(gateway, 'shop.test', '/else'), 404);
  const desired = gateway.control.graph.statusOf('HTTPRoute', 'default/shop');
  const conditions = desired?.kind === 'HTTPRoute' ? desired.parents[0]?.conditions : [];
  t.like(
    conditions?.find(({ type }) => type === 'ResolvedRefs'),
    { status: 'False', reason: 'BackendNotFound', message: 'Service default/missing does not exist' },
  );
});

thorough(test.serial)(
  'under quick changes the data plane comes to the very id that the control plane shows',
  async (t) => {
    const gateway = await startStandalone();
    t.teardown(() => gateway.stop());
    gateway.write('backends.yaml', ...(await gateway.backend('one')));
    const { layout2 } = gateway.control.ports;
    for (let round = 0; round < 5; round++) {
      for (let change = 0; change < 20; change++) {
        const rules = [at(`/${round}-${change}`, 'one')];
        gateway.write(`route-${change % 4}.yaml`, routeObject(`r${change % 4}`, `h${change % 4}.test`, rules));
      }
      const path = `/${round}-19`;
      await untilFits(
        `round ${round} to be served`,
        () => status(gateway, 'h3.test', path),
        (code) => code === 200,
      );
      const control = async () =>
        (await gateway.json(layout2, '/api/v1/config/snapshot/version')).body as { id: string };
      const applied = async () =>
        (await gateway.json(gateway.agentPort, '/api/v1/config/version')).body as { id: string };
      const { id } = await control();
      await untilFits('the same id on both sides', applied, (version) => version.id === id);
      t.regex(id, /^[0-9a-f]{32}$/);
    }
  },
);

test.serial('both layouts and the metrics answer', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  appendFileSync(join(gateway.directory, 'backends.yaml'), '');
  gateway.write('backends.yaml', ...(await gateway.backend('one')));
  gateway.write('route.yaml', routeObject('shop', 'shop.test', [to('one')]));
  await isServing(gateway, 'shop.test');
  const { layout1, layout2 } = gateway.control.ports;
  const nodes = await untilFits(
    'the node to be ready',
    async () => (await gateway.json(layout1, '/v1/nodes')).body as { ready: boolean; lastConfigStatus: string }[],
    ([node]) => node?.ready === true,
  );
  t.is(nodes.length, 1);
  const summary = (await gateway.json(layout1, '/v1/summary')).body as Record<string, unknown>;
  t.like(summary, {
    gatewayCount: 1,
    listenerCount: 1,
    httpRouteCount: 1,
    backendCount: 1,
    endpointCount: 1,
    connectedNodeCount: 1,
  });
  const [route] = (await gateway.json(layout1, '/v1/routes')).body as { name: string; accepted: boolean }[];
  t.like(route, { name: 'shop', accepted: true });
  const clients = (await gateway.json(layout2, '/api/v1/clients')).body as {
    node_id: string;
    last_config_status: string;
  }[];
  t.like(clients[0], { node_id: 'default.edge', last_config_status: 'ACK' });
  const version = (await gateway.json(layout2, '/api/v1/config/snapshot/version')).body as Record<string, unknown>;
  t.like(version, { gateways: 1, routes: 1, backends: 1, clients_connected: 1 });
  const metrics = await (await request(`http://127.0.0.1:${gateway.control.ports.metrics}/metrics`)).text();
  t.regex(metrics, /^gatewright_published_total [1-9]/m);
  t.regex(metrics, /^gatewright_input_objects\{kind="HTTPRoute"\} 1$/m);
  t.regex(metrics, /^gatewright_input_objects\{kind="TCPRoute"\} 0$/m);
  t.regex(metrics, /^gatewright_snapshot_resources\{type="Listener"\} 1$/m);
  t.regex(metrics, /^gatewright_snapshot_bytes\{type="Cluster"\} [1-9]/m);
});
