import { isDeepStrictEqual } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type * as ir from '../../src/ir/index.ts';
import { startAgent, startControlPlane, untilReady } from '../support/agent-world.ts';
import { send, startBackend } from '../support/http.ts';
import { forwardAuthBy, route, snapshotOf, table, tableGuards, translateAll, virtualHost } from '../support/ir.ts';
import { until, untilFits } from '../support/until.ts';

/** A token provider with keys that Envoy rejects. */
const rejected: ir.Access = {
  jwt: {
    optional: false,
    providers: [{ id: 'a/b/c', audiences: [], keys: 'no JSON', from: [], forwardToken: false, claimsToHeaders: [] }],
  },
};

/** Faults that Envoy rejects: no status is 99. */
const rejectedFaults: ir.TableTraffic = {
  parts: [{ filters: { faults: { abort: { status: 99, perMillion: 0 } } }, sources: { faults: 'a/faults' } }],
};

const answering = (value: string): ir.ClientSettings => ({
  responseHeaders: { remove: [], removePrefixes: [], set: [{ name: 'x-edge', value: [value] }], add: [], ifAbsent: [] },
});

const noClient: ir.Access = { clientIPs: { allow: [], deny: [] } };
const anyClient: ir.Access = { clientIPs: { deny: [] } };

/** Policies of two Gateways, or one that is for both. */
type Sources = readonly [a: string, c: string];
const ofTwo: Sources = ['a/policy', 'c/policy'];
const ofOne: Sources = ['a/policy', 'a/policy'];

/** Two Gateways that share a table, with a host each. */
function guardsOf(a: ir.Access, c: ir.Access, [first, second] = ofTwo): ir.TableGuards {
  const of = (source: string, hostname: string, access: ir.Access): ir.TableAccess => ({
    level: 'gateway',
    source,
    overridable: [],
    hostnames: [hostname],
    ...access,
  });
  return { demands: [of(first, 'a.test', a), of(second, 'c.test', c)], hostnames: ['a.test', 'c.test'] };
}

/** Requests wait for a server, which lets all in. */
const asks: ir.Access = {
  forwardAuth: forwardAuthBy('web'),
};

interface Served {
  readonly admin?: ir.RouteFilters;
  readonly table?: ir.Access;
  /** Of Gateways that share the table. */
  readonly guards?: ir.TableGuards;
  /** What it has of traffic, for all requests. */
  readonly traffic?: ir.TableTraffic;
  /** Of the listener, for all answers. */
  readonly header?: string;
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
  const listener = (at: number, header?: string): ir.Listener => ({
    key: `http/${at}`,
    transport: 'tcp',
    bind: { address: '127.0.0.1', port: at },
    chains: [{ kind: 'http', name: 'http', table: `http/${at}`, ...(header && { client: answering(header) }) }],
  });
  let count = 0;
  const publish = ({
    admin = {},
    table: demanded,
    guards = demanded && tableGuards(demanded),
    other = 'old',
    traffic,
    header,
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
      { ...table(`http/${port}`, { exact: hosts }), ...(guards && { access: guards }), ...(traffic && { traffic }) },
      table(`http/${otherPort}`, { exact: neighbours }),
    ];
    const content = { listeners: [listener(port, header), listener(otherPort)], tables, backends: { web: web.port } };
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
  const publishBoth = (a: ir.Access, c: ir.Access) => publish({ guards: guardsOf(a, c) });
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

const closesItsHosts = test.macro(async (t, sources: Sources) => {
  const { publish, ask } = await world(t);
  const statuses = async () => [(await ask('/')).status, (await ask('/', 'c.test')).status];
  const answers = (...wanted: readonly number[]) =>
    untilFits(`${wanted}`, statuses, (now) => isDeepStrictEqual(now, wanted));
  const waiting = { ...noClient, ...asks };
  // Also where requests wait, and the demands are beside the filter chain.
  for (const former of [anyClient, waiting]) {
    publish({ guards: guardsOf(former, former, sources) });
    await answers(...(former === anyClient ? [200, 200] : [403, 403]));
    publish({ guards: guardsOf(rejected, noClient, sources) });
    t.deepEqual(await answers(500, 403), [500, 403]);
    publish({ guards: guardsOf(anyClient, rejected, sources) });
    t.deepEqual(await answers(200, 500), [200, 500]);
    publish({ guards: guardsOf(noClient, anyClient, sources) });
    t.deepEqual(await answers(403, 200), [403, 200]);
  }
});
test(
  'of two Gateways’ policies that change together, the one that proxies reject closes its own hosts alone',
  closesItsHosts,
  ofTwo,
);
test('what proxies reject of a policy at one of its targets closes none of the other', closesItsHosts, ofOne);

test('what proxies reject of a policy is closed also where requests waited for a server until then', async (t) => {
  const { publish, ask } = await world(t);
  publish({ table: { ...noClient, ...asks } });
  await until('the guard to hold', async () => (await ask('/')).status === 403);
  publish({ table: rejected });
  const seen = new Set<number>();
  await until('the table to be closed', async () => {
    const { status } = await ask('/');
    seen.add(status);
    return status === 500;
  });
  t.false(seen.has(200), 'no request passed on the way');
  publish({ table: anyClient });
  await until('the corrected policy to hold', async () => (await ask('/')).status === 200);
});

test('what proxies reject of traffic keeps no listener and no guard from them that comes later, and opens nothing that is guarded', async (t) => {
  const { publish, ask } = await world(t);
  const guarded: ir.RouteFilters = { access: { rule: { ...noClient, ...asks } } };
  publish({ admin: guarded });
  await until('the guard to hold', async () => (await ask('/admin')).status === 403);
  const seen = new Set<number>();
  const turns: readonly Served[] = [
    { traffic: rejectedFaults, header: 'one' },
    { header: 'two' },
    { traffic: rejectedFaults, table: asks, header: 'three' },
    { traffic: rejectedFaults, table: noClient, header: 'four' },
  ];
  for (const served of turns) {
    publish({ ...served, admin: guarded });
    await until(`${served.header}: the listener to be taken`, async () => {
      seen.add((await ask('/admin')).status);
      return (await ask('/')).headers['x-edge'] === served.header;
    });
  }
  await until('the guard of all to hold', async () => (await ask('/')).status === 403);
  t.deepEqual([...seen], [403], 'no request passed on the way');
});
