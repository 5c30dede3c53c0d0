import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { nodeView, startAdmin, type TestAdmin } from '../support/admin.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../support/objects.ts';
import { runProgram } from '../support/program.ts';

const test = anyTest as TestFn<TestAdmin>;

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

const world = [
  gatewayClass(),
  gateway('edge'),
  service('web'),
  endpointSlice('web', ['10.0.0.1']),
  httpRoute('web', { hostnames: ['a.test'] }),
];

const run = (admin: TestAdmin, ...args: string[]) =>
  runProgram(args, { GATEWRIGHT_SERVER: `http://127.0.0.1:${admin.ports.layout1}` });

test('status names everything that is wrong, and its exit code says whether something is', async (t) => {
  const admin = t.context;
  const id = admin.build(...world);
  admin.graph.acknowledge('default/edge', admin.graph.snapshot()!.gateways.get('default/edge')!.listenersDigest);
  admin.graph.setDataPlane('default/edge', {
    addresses: [{ type: 'IPAddress', value: '127.0.0.1' }],
    message: '',
  } as never);
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: id, lastConfigStatus: 'ACK' }));
  admin.build();
  const good = await run(admin, 'status');
  t.regex(good.stdout, /routes {5}1\n/);
  t.regex(good.stdout, /nothing is wrong/);
  t.is(good.code, 0, good.stdout);

  admin.build(httpRoute('lost', { parentRefs: [{ name: 'edge', sectionName: 'none' }] }));
  admin.nodes.set('n2', nodeView('n2', { lastConfigStatus: 'NACK', lastNackMessage: 'no regex' }));
  const bad = await run(admin, 'status');
  t.is(bad.code, 1);
  t.regex(bad.stdout, /routes {5}2 \(1 not accepted\)/);
  t.regex(bad.stdout, /HTTPRoute default\/lost: NoMatchingParent: /);
  t.regex(bad.stdout, /node n2: rejected: no regex/);
});

test('get and nodes print tables for people and what the API answers for programs', async (t) => {
  const admin = t.context;
  const id = admin.build(...world);
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: id, lastConfigStatus: 'ACK' }));
  const routes = await run(admin, 'get', 'route');
  t.regex(
    routes.stdout,
    /^KIND +NAMESPACE +NAME +HOSTNAMES +ACCEPTED +RESOLVED +AGE +MESSAGE\nHTTPRoute +default +web +a\.test +yes +yes /,
  );
  t.is((await run(admin, 'get', 'routes', '-n', 'elsewhere')).stdout, 'nothing found\n');
  const [node] = JSON.parse((await run(admin, 'nodes', '-o', 'json')).stdout);
  t.like(node, { nodeId: 'n1', lastAckVersion: id });
  t.regex((await run(admin, 'nodes')).stdout, new RegExp(`n1 +default/edge +\\S+ +yes +ACK +${id}`));
  const unknown = await run(admin, 'get', 'pods');
  t.is(unknown.code, 2);
  t.regex(unknown.stderr, /"pods" cannot be listed; gateways, listeners, /);
});

test('sync --wait ends when every data plane runs the newest snapshot', async (t) => {
  const admin = t.context;
  const id = admin.build(...world);
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: 'older' }));
  const behind = await run(admin, 'sync');
  t.is(behind.code, 1);
  t.regex(behind.stdout, /n1 +default\/edge +drifted/);
  const waiting = run(admin, 'sync', '--wait', '--timeout', '100');
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: id, lastConfigStatus: 'ACK' }));
  t.is((await waiting).code, 0);
  t.is((await run(admin, 'sync', '--nodes', '2')).code, 1, 'there is but one');
});

test('route-test says what becomes of a request', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const good = await run(admin, 'route-test', 'http://a.test/x', '-H', 'X-A: 1', '-X', 'POST');
  t.is(good.code, 0, good.stderr);
  t.regex(
    good.stdout,
    /^forwarded: .*\nGateway default\/edge, port 80, listener default\.edge\.http\nroute +HTTPRoute default\/web rule 0 match 0/,
  );
  t.regex(good.stdout, /100 % to default\/web:80 \(1 ready\)/);
  const lost = await run(admin, 'route-test', 'b.test');
  t.is(lost.code, 1);
  t.regex(lost.stdout, /^404: no route at http\/80 is for the host b\.test/);
  t.regex(lost.stdout, /hint: Routes at http\/80 are for a\.test/);
  t.is((await run(admin, 'route-test', 'ftp://a.test')).code, 2);
});

test('route-test takes the only HTTP port of a Gateway when the URL has none, and names it', async (t) => {
  const admin = t.context;
  admin.build(...world, gateway('edge', [{ port: 8080 }]));
  const taken = await run(admin, 'route-test', 'http://a.test/x');
  t.is(taken.code, 0, taken.stdout + taken.stderr);
  t.regex(taken.stdout, /\nGateway default\/edge, port 8080, listener default\.edge\.http\n/);
  t.regex(taken.stdout, /hint: Gateway default\/edge has no listener at port 80: its only HTTP port 8080 is taken/);
  const written = await run(admin, 'route-test', 'http://a.test:80/x');
  t.is(written.code, 1, 'a port that is written stays');
  t.regex(written.stdout, /has no listener at port 80\n/);

  admin.build(gateway('edge', [{ port: 8080 }, { name: 'second', port: 8081 }]));
  const several = await run(admin, 'route-test', 'http://a.test/x');
  t.is(several.code, 1, 'of two ports neither is taken');
});

test('explain knows codes and reasons', async (t) => {
  t.regex(
    (await run(t.context, 'explain', 'nomatchingparent')).stdout,
    /^NoMatchingParent\nThe parentRef fits no listener/,
  );
  t.regex((await run(t.context, 'explain', 'route_not_found')).stdout, /^route_not_found\n/);
  t.is((await run(t.context, 'explain', 'nothing')).code, 2);
});

test('who cannot be asked is named, with the way out', async (t) => {
  const gone = await runProgram(['status', '--server', `127.0.0.1:${await freePort()}`]);
  t.is(gone.code, 2);
  t.regex(
    gone.stderr,
    /^gatewright: cannot reach the admin API at http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED; is the control plane running\?/,
  );
  const wrongFile = await run(t.context, 'nodes', '--token-file', '/nowhere');
  t.is(wrongFile.code, 2);
  t.regex(wrongFile.stderr, /cannot read --token-file: .*\/nowhere/);
  const cluster = await runProgram(['status', '--kubeconfig', '/nowhere']);
  t.is(cluster.code, 2);
  t.regex(cluster.stderr, /cannot read the kubeconfig: .*\/nowhere/);
});
