import { createServer } from 'node:net';
import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { nodeView, startAdmin, type TestAdmin } from '../support/admin.ts';
import { runCommand } from '../support/command.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../support/objects.ts';
import { runProgram } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';

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
  runCommand(args, { GATEWRIGHT_SERVER: `http://127.0.0.1:${admin.ports.layout1}` });

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
    /^KIND +NAMESPACE +NAME +HOSTNAMES +ACCEPTED +RESOLVED +MESSAGE\nHTTPRoute +default +web +a\.test +yes +yes /,
  );
  t.is((await run(admin, 'get', 'routes', '-n', 'elsewhere')).stdout, 'nothing found\n');
  admin.build(httpRoute('zz-lost', { parentRefs: [{ name: 'nowhere' }] }));
  const worstFirst = ['get', 'routes', '--sort', 'state', '-n', 'default', '-o', 'name'];
  t.is((await run(admin, ...worstFirst)).stdout, 'httproute/zz-lost\nhttproute/web\n');
  const unsorted = await run(admin, 'get', 'routes', '--sort', 'mood');
  t.is(unsorted.code, 2);
  t.regex(unsorted.stderr, /sort.*namespace, name, kind, createdAt, generation, state/);
  admin.graph.remove('HTTPRoute', 'default/zz-lost');
  admin.build();
  const [node] = JSON.parse((await run(admin, 'nodes', '-o', 'json')).stdout);
  t.like(node, { nodeId: 'n1', lastAckVersion: id });
  t.regex((await run(admin, 'nodes')).stdout, new RegExp(`n1 +default/edge +\\S+ +yes +ACK +${id.slice(0, 12)}`));
  t.regex((await run(admin, 'nodes', '-o', 'wide')).stdout, new RegExp(`n1 +default/edge +\\S+ +yes +ACK +${id}`));
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

/** Where a heading ends in its line; undefined when there is none. */
function columnOf(text: string, heading: string): number | undefined {
  const line = text.split('\n').find((each) => each.includes(heading));
  return line === undefined ? undefined : line.indexOf(heading) + heading.length;
}

test('lists fit 80 columns; -o wide has the rest, -o name one name a line, --no-headers only rows', async (t) => {
  const admin = t.context;
  const id = admin.build(...world, httpRoute('shop', { hostnames: ['shop.localhost', 'www.shop.localhost'] }));
  admin.nodes.set('default.quickstart', nodeView('n1', { lastAckVersion: id, lastConfigStatus: 'ACK' }));
  const lists = ['gateways', 'listeners', 'routes', 'backends', 'certificates', 'services'].map((what) => [
    'get',
    what,
  ]);
  for (const list of [...lists, ['nodes'], ['sync']]) {
    const { stdout, code, stderr } = await run(admin, ...list);
    t.is(code, 0, stderr);
    // A message is as long as it is; a terminal cuts it.
    const shortLines = stdout.split('\n').map((line) => line.slice(0, columnOf(stdout, 'MESSAGE')));
    t.true(Math.max(...shortLines.map(({ length }) => length)) <= 80, `${list.join(' ')}:\n${stdout}`);
  }
  const wide = await run(admin, 'get', 'routes', '-o', 'wide');
  t.regex(wide.stdout, /^KIND.* AGE +MESSAGE\n(.*\n)*.* shop\.localhost,www\.shop\.localhost /);
  t.regex((await run(admin, 'get', 'routes')).stdout, / shop\.localhost \+1 /);
  t.is((await run(admin, 'get', 'routes', '-o', 'name')).stdout, 'httproute/shop\nhttproute/web\n');
  t.is((await run(admin, 'sync', '-o', 'name')).stdout, 'node/n1\n');
  t.regex((await run(admin, 'get', 'routes', '--no-headers')).stdout, /^HTTPRoute +default +shop /);
  t.is((await run(admin, 'get', 'routes', '-n', 'elsewhere', '--no-headers')).stdout, '', 'nothing is no row');
});

test('get finds one object by its name, and suggests the nearest one', async (t) => {
  const admin = t.context;
  admin.build(...world, httpRoute('shop'));
  for (const words of [['route', 'shop'], ['route/shop'], ['httproute/shop']]) {
    const { stdout, code } = await run(admin, 'get', ...words, '-o', 'name');
    t.deepEqual({ stdout, code }, { stdout: 'httproute/shop\n', code: 0 }, words.join(' '));
  }
  const misspelt = await run(admin, 'get', 'route', 'shpo');
  t.is(misspelt.code, 2);
  t.is(misspelt.stderr, 'gatewright: no route is named "shpo"; did you mean "shop"?\n');
});

thorough(test)('sync --wait says on standard error what it waits for', async (t) => {
  const admin = t.context;
  admin.build(...world);
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: 'older' }));
  const { code, stderr } = await run(admin, 'sync', '--wait', '--timeout', '0.4', '--nodes', '2');
  t.is(code, 1);
  t.is(stderr, '0 of 2 data planes are current; waiting: n1 is drifted, 1 not connected yet\n');
});

test('a wrong command line ends with exit code 2', async (t) => {
  for (const words of [
    [],
    ['nothing'],
    ['get'],
    ['nodes', '--nothing'],
    ['nodes', '-o', 'xml'],
    ['sync', '--timeout', 'x'],
  ])
    t.is((await run(t.context, ...words)).code, 2, words.join(' '));
  for (const words of [['--help'], ['nodes', '--help'], ['--version']])
    t.is((await run(t.context, ...words)).code, 0, words.join(' '));
});

test('a path of the command line that is not there is named, with the next step and exit code 2', async (t) => {
  const manifests = 'gatewright: /nowhere does not exist: name a directory of YAML files, or one such file\n';
  const configuration = 'gatewright: /nowhere does not exist: name a configuration file with --config\n';
  for (const [words, said] of [
    [['run', '-f', '/nowhere'], manifests],
    [['validate', '/nowhere'], manifests],
    [['validate', 'examples/quickstart', '/nowhere'], manifests],
    [['translate', '-f', '/nowhere'], manifests],
    [['diff', '-f', '/nowhere'], manifests],
    [['config', 'check', '--config', '/nowhere'], configuration],
    [['translate', '-f', 'examples/quickstart', '--config', '/nowhere'], configuration],
  ] as const) {
    const { code, stdout, stderr } = await run(t.context, ...words);
    t.deepEqual({ code, stdout, stderr }, { code: 2, stdout: '', stderr: said }, words.join(' '));
  }
});

test('route-test takes a line of curl, in quotes or word by word', async (t) => {
  const admin = t.context;
  const matches = [
    {
      method: 'POST' as const,
      headers: [{ name: 'x-team', value: 'a b' }],
      path: { type: 'PathPrefix' as const, value: '/cart' },
    },
  ];
  admin.build(
    ...world,
    httpRoute('web', { hostnames: ['a.test'], rules: [{ matches, backendRefs: [{ name: 'web', port: 80 }] }] }),
  );
  const line = `curl -sS -o /dev/null -H 'X-Team: a b' --data '{"a": 1}' \\\n  --resolve a.test:80:127.0.0.1 "http://a.test/cart?x=1"`;
  for (const words of [
    [line],
    ['--', 'curl', '-sk', '-XPOST', '-H', 'X-Team: a b', 'http://a.test/cart'],
    ['curl a.test/cart --json {} --header="x-team: a b"'],
    ["curl -X DELETE a.test/cart -H 'x-team: a b'", '-X', 'POST'],
  ]) {
    const { code, stdout, stderr } = await run(admin, 'route-test', ...words);
    t.is(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
  }
  t.is((await run(admin, 'route-test', "curl -I -H 'x-team: a b' a.test/cart")).code, 1, 'HEAD is not POST');
  const none = await run(admin, 'route-test', 'curl -s');
  t.deepEqual([none.code, none.stderr], [2, 'gatewright: the line of curl has no URL\n']);
  t.is((await run(admin, 'route-test', 'curl a.test b.test')).code, 2);
});

test('route-test says what happens to a request', async (t) => {
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
  t.regex(
    taken.stdout,
    /hint: Gateway default\/edge has no listener at port 80; this is what its only HTTP port, 8080, does/,
  );
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

thorough(test)('who cannot be asked is named, with the way out', async (t) => {
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

thorough(test)('an answer is waited for as long as a user has patience', async (t) => {
  const silent = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.teardown(() => silent.close());
  const { port } = silent.address() as { readonly port: number };
  const asked = (GATEWRIGHT_TIMEOUT: string) =>
    runCommand(['status', '--server', `127.0.0.1:${port}`], { GATEWRIGHT_TIMEOUT });
  const late = await asked('20ms');
  t.is(late.code, 2);
  t.regex(late.stderr, /cannot reach the admin API at .*time/i);
  const wrong = await asked('soon');
  t.is(wrong.code, 2);
  t.regex(wrong.stderr, /GATEWRIGHT_TIMEOUT "soon" is no duration: write it like 30s/);
});
