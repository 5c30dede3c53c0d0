import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type * as ir from '../../src/ir/index.ts';
import { startAgent, startControlPlane, untilReady } from '../support/agent-world.ts';
import { send, startBackend } from '../support/http.ts';
import { route, snapshotOf, table, tableGuards, translateAll, virtualHost } from '../support/ir.ts';
import { until } from '../support/until.ts';

/** A token provider with keys that Envoy rejects. */
const rejected: ir.Access = {
  jwt: {
    optional: false,
    providers: [{ id: 'a/b/c', audiences: [], keys: 'no JSON', from: [], forwardToken: false, claimsToHeaders: [] }],
  },
};

interface Served {
  readonly admin?: ir.RouteFilters;
  readonly table?: ir.Access;
  /** Of Gateways that share the table. */
  readonly guards?: ir.TableGuards;
  /** Of a route of another host. */
  readonly other?: string;
}

/** A real agent and Envoy; a guarded path of one host beside a route for all of its paths, and another host. */
async function world(t: ExecutionContext) {
  const [web, controlPlane, port, otherPort] = [
    await startBackend(t),
    await startControlPlane(t),
    await freePort(),
    await freePort(),
  ];
  const listener = (at: number): ir.Listener => ({
    key: `http/${at}`,
    transport: 'tcp',
    bind: { address: '127.0.0.1', port: at },
    chains: [{ kind: 'http', name: 'http', table: `http/${at}` }],
  });
  let count = 0;
  const publish = ({
    admin = {},
    table: demanded,
    guards = demanded && tableGuards(demanded),
    other = 'old',
  }: Served) => {
    count += 1;
    const hosts = [
      virtualHost('a.test', [
        route('default/admin/rule/0/match/0', '/admin', { filters: admin }),
        route('default/wide/rule/0/match/0', '/'),
      ]),
      virtualHost('c.test', [route('default/c/rule/0/match/0', '/')]),
    ];
    const neighbours = [virtualHost('b.test', [route(`default/${other}/rule/0/match/0`, '/')])];
    const tables = [
      { ...table(`http/${port}`, { exact: hosts }), ...(guards && { access: guards }) },
      table(`http/${otherPort}`, { exact: neighbours }),
    ];
    const content = { listeners: [listener(port), listener(otherPort)], tables, backends: { web: web.port } };
    controlPlane.publish(`s${count}`, translateAll(snapshotOf(content)));
  };
  publish({});
  const agent = await startAgent(t, controlPlane.address);
  await untilReady(agent);
  const ask = (path: string, host = 'a.test') => send(port, { host: `${host}:${port}`, path });
  const neighbour = async () => (await send(otherPort, { host: `b.test:${otherPort}` })).headers['x-route'];
  return { publish, ask, neighbour };
}

test('what proxies reject of a Gateway’s policy lets no request in, and others go on', async (t) => {
  const { publish, ask, neighbour } = await world(t);
  t.is((await ask('/')).status, 200);
  publish({ table: rejected, other: 'new' });
  await until('the table to be closed', async () => (await ask('/')).status === 500);
  t.is((await ask('/admin')).status, 500);
  await until('the neighbour to change', async () => (await neighbour()) === 'default/new/rule/0/match/0');
  publish({ table: { clientIPs: { allow: [{ address: '127.0.0.1', prefixLength: 32 }], deny: [] } } });
  await until('the corrected policy to hold', async () => (await ask('/')).status === 200);
});

test('what proxies reject of a route’s policy closes the route, and sends no request to a wider one', async (t) => {
  const { publish, ask } = await world(t);
  publish({ admin: { access: { rule: { clientIPs: { allow: [], deny: [] } } } } });
  await until('the guard to hold', async () => (await ask('/admin')).status === 403);
  publish({ admin: { access: { rule: rejected } } });
  const seen = new Set<number>();
  await until('the route to be closed', async () => {
    const { status } = await ask('/admin');
    seen.add(status);
    return status === 500;
  });
  t.false(seen.has(200), 'no request passed on the way');
  const wide = await ask('/');
  t.is(wide.status, 200);
  t.is(wide.headers['x-route'], 'default/wide/rule/0/match/0');
});

test('what proxies reject of one Gateway’s policy closes its own hosts in a table that others share, and theirs still change', async (t) => {
  const { publish, ask } = await world(t);
  const of = (source: string, hostname: string, access: ir.Access): ir.TableAccess => ({
    level: 'gateway',
    source,
    overridable: [],
    hostnames: [hostname],
    ...access,
  });
  const noClient: ir.Access = { clientIPs: { allow: [], deny: [] } };
  const anyClient: ir.Access = { clientIPs: { deny: [] } };
  const publishBoth = (a: ir.Access, c: ir.Access) =>
    publish({
      guards: { demands: [of('a/policy', 'a.test', a), of('c/policy', 'c.test', c)], hostnames: ['a.test', 'c.test'] },
    });
  publishBoth(anyClient, noClient);
  await until('the guard to hold', async () => (await ask('/', 'c.test')).status === 403);
  t.is((await ask('/')).status, 200);
  publishBoth(rejected, noClient);
  const seen = new Set<number>();
  await until('the first Gateway’s hosts to be closed', async () => {
    seen.add((await ask('/', 'c.test')).status);
    return (await ask('/')).status === 500;
  });
  t.deepEqual([...seen], [403], 'the other’s guard held all the time');
  publishBoth(rejected, anyClient);
  await until('the other’s policy to change', async () => (await ask('/', 'c.test')).status === 200);
  t.is((await ask('/')).status, 500);
  publishBoth(anyClient, noClient);
  await until('the corrected policy to hold', async () => (await ask('/')).status === 200);
  await until('the other’s too', async () => (await ask('/', 'c.test')).status === 403);
});
