import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { stringify } from 'yaml';
import type { Topology } from '../../src/admin/topology/record.ts';
import { chat } from '../support/chat.ts';
import { runCommand } from '../support/command.ts';
import { writeListeners } from '../support/listeners-world.ts';
import { type Ended, runProgram } from '../support/program.ts';
import { routeObject, type Standalone, startStandalone, untilRead } from '../support/standalone.ts';

/* Which policies of access are in force, at which level, and by whom others are overridden: every place that shows it, of one running program. */

const test = anyTest as TestFn<Standalone>;

interface Target {
  readonly kind: string;
  readonly name: string;
  readonly sectionName?: string;
}

const policy = (name: string, target: Target, spec: object, created = '2026-01-01'): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name, creationTimestamp: `${created}T00:00:00Z` },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], ...spec },
});

const keys = (secret: string) => ({ apiKeys: { secretRefs: [{ name: secret }], from: [{ header: 'x-key' }] } });
const gateway = { kind: 'Gateway', name: 'edge' };
const shop = { kind: 'HTTPRoute', name: 'shop' };
/** Of a Gateway: its routes may do without csrf, and its listener `wild` does. */
const edge = policy('edge', gateway, { clientIPs: { deny: ['10.0.0.0/8'] }, csrf: {}, overridable: ['csrf'] });

test.before(async (t) => {
  t.timeout(600_000);
  t.context = await startStandalone();
  writeListeners(t.context);
  const { write, backend } = t.context;
  write(
    'web.yaml',
    ...(await backend('web')),
    routeObject('shop', 'shop.test', [
      { name: 'health', matches: [{ path: { value: '/health' } }], backendRefs: [{ name: 'web', port: 80 }] },
      { name: 'orders', backendRefs: [{ name: 'web', port: 80 }] },
    ]),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'clients', labels: { 'gatewright.dev/credentials': 'true' } },
      stringData: { ann: 'sk-planted' },
    },
  );
  write(
    'policies.yaml',
    edge,
    policy('wild', { ...gateway, sectionName: 'wild' }, { overrides: ['csrf'], ...keys('missing') }),
    policy('team', { kind: 'ListenerSet', name: 'team' }, { clientIPs: { deny: ['192.0.2.0/24'] } }),
    policy('orders', { ...shop, sectionName: 'orders' }, keys('clients')),
    policy('late', { ...shop, sectionName: 'orders' }, keys('clients'), '2026-02-01'),
    policy('health', { ...shop, sectionName: 'health' }, { overrides: ['csrf'] }),
  );
  await untilRead(
    t.context,
    ['ListenerSet', 'default/team'],
    ['HTTPRoute', 'default/shop'],
    ['AccessPolicy', 'default/health'],
  );
});
test.after.always((t) => t.context.stop());

const server = ({ control }: Standalone) => ({ GATEWRIGHT_SERVER: `http://127.0.0.1:${control.ports.layout1}` });
const cli = (world: Standalone, ...args: string[]): Promise<Ended> => runCommand(args, server(world));

/** The lines below a heading. */
function sectionOf(text: string, heading: string): string[] {
  const lines = text.split('\n');
  const start = lines.indexOf(heading);
  const rest = start === -1 ? [] : lines.slice(start + 1);
  const end = rest.findIndex((line) => !line.startsWith('  '));
  return rest.slice(0, end === -1 ? undefined : end).map((line) => line.trim());
}

const missing =
  /^listener wild of Gateway default\/edge: apiKeys of listener, default\/wild: closed, requests are answered 500, SecretNotFound: Secret default\/missing/;

test.serial('describe says of a route which level demands what, rule by rule', async (t) => {
  const { stdout } = await runProgram(['describe', 'route', 'shop'], server(t.context));
  t.deepEqual(sectionOf(stdout, 'ACCESS'), [
    'at default/edge, rule health: clientIPs of gateway, default/edge: in force',
    'at default/edge, rule health: csrf of gateway, default/edge: overridden by default/health',
    'at default/edge, rule orders: clientIPs of gateway, default/edge: in force',
    'at default/edge, rule orders: csrf of gateway, default/edge: in force',
    'at default/edge, rule orders: apiKeys of rule, default/late: not in force, the part is taken by default/orders',
    'at default/edge, rule orders: apiKeys of rule, default/orders: in force',
  ]);
  t.regex(stdout, /\n {2}rule health: path prefix \/health\n/, 'among the rules too');
});

test.serial('describe says of a Gateway and a ListenerSet what all requests to their listeners meet', async (t) => {
  const { stdout } = await cli(t.context, 'describe', 'gateway', 'edge');
  const lines = sectionOf(stdout, 'ACCESS');
  t.deepEqual(
    lines.filter((line) => !missing.test(line)),
    [
      'Gateway default/edge: clientIPs of gateway, default/edge: in force',
      'listener http of Gateway default/edge: csrf of gateway, default/edge: in force',
      'listener wild of Gateway default/edge: csrf of gateway, default/edge: overridden by default/wild',
      'ListenerSet default/team: clientIPs of listenerSet, default/team: in force',
      'listener team of ListenerSet default/team: csrf of gateway, default/edge: in force',
    ],
  );
  t.is(lines.length, 6, stdout);
  const set = await cli(t.context, 'describe', 'listenerset', 'team');
  t.deepEqual(sectionOf(set.stdout, 'ACCESS'), [
    'ListenerSet default/team: clientIPs of gateway, default/edge: in force',
    'ListenerSet default/team: clientIPs of listenerSet, default/team: in force',
    'ListenerSet default/team: csrf of gateway, default/edge: in force',
  ]);
});

test.serial('describe says of a policy what became of its parts at each target', async (t) => {
  const late = await cli(t.context, 'describe', 'accesspolicy', 'late');
  t.is(late.code, 1);
  t.deepEqual(sectionOf(late.stdout, 'ACCESS'), [
    'at default/edge, rule orders of HTTPRoute default/shop: apiKeys of rule, default/late: not in force, the part is taken by default/orders',
  ]);
  const wild = await cli(t.context, 'describe', 'acpolicy', 'wild', '-o', 'json');
  t.like(JSON.parse(wild.stdout).access[0], { part: 'apiKeys', level: 'listener', state: 'closed', by: null });
});

test.serial('get accesspolicies lists every part with its level and state', async (t) => {
  const { stdout, stderr } = await cli(t.context, 'get', 'accesspolicies');
  const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/).slice(0, 6));
  const has = (...cells: string[]) =>
    t.true(
      rows.some((row) => row.join('|') === cells.join('|')),
      stdout + stderr,
    );
  has('default', 'edge', 'clientIPs', 'gateway', 'Gateway/edge', 'inForce');
  has('default', 'orders', 'apiKeys', 'rule', 'HTTPRoute/shop/orders', 'inForce');
  has('default', 'late', 'apiKeys', 'rule', 'HTTPRoute/shop/orders', 'conflicted by default/orders');
  t.true(
    rows.some(([, name, , , target, state]) => name === 'wild' && target === 'Gateway/edge/wild' && state === 'closed'),
  );
  const wide = await cli(t.context, 'get', 'accesspolicies', 'team', '-o', 'wide');
  t.regex(wide.stdout, /ListenerSet\/team +default\/edge +inForce/);
  t.is((await cli(t.context, 'get', 'accesspolicy/late', '-o', 'name')).stdout.trim(), 'accesspolicy/late');
});

test.serial('the topology has each policy at its targets, listeners too, with what became of its parts', async (t) => {
  const { body } = await t.context.json(t.context.control.ports.layout1, '/v1/topology');
  const { nodes, edges } = body as Topology;
  const of = (name: string) =>
    edges
      .filter(({ source }) => source === `policy/accesspolicy/default/${name}`)
      .map(({ target, status, access = [] }) => ({ target, status, access }));
  t.like(of('edge')[0], { target: 'gateway/default/edge', status: 'healthy' });
  t.like(of('wild')[0], {
    target: 'listener/default.edge.wild',
    status: 'failed',
    access: [{ part: 'apiKeys', level: 'listener', state: 'closed' }],
  });
  t.like(of('team')[0], { target: 'listener/default.edge.default.team.team', status: 'healthy' });
  t.like(of('late')[0], {
    target: 'route/httproute/default/shop',
    status: 'degraded',
    access: [{ part: 'apiKeys', level: 'rule', state: 'conflicted', by: { namespace: 'default', name: 'orders' } }],
  });
  t.true(nodes.some(({ id }) => id === 'policy/accesspolicy/default/late'));
});

test.serial('route-test and the chat call a rule by its name', async (t) => {
  const tested = await cli(t.context, 'route-test', `http://shop.test:${t.context.port}/health`);
  t.regex(tested.stdout, /route +HTTPRoute default\/shop rule health match 0, host shop\.test\n/);
  t.regex(tested.stdout, /shop\.test +HTTPRoute default\/shop rule orders match 0 /);
  const said = async (prompt: string) => (await chat(t.context.control.ports.layout1, { prompt })).text;
  t.regex(await said('who may call HTTPRoute default/shop?'), /rule orders: apiKeys \(rule, default\/orders\) inForce/);
  t.regex(await said('which routes need no login?'), /HTTPRoute default\/shop \(shop\.test\): rules health$/m);
  t.regex(
    await said(`what happens to http://shop.test:${t.context.port}/health?`),
    /HTTPRoute default\/shop rule health/,
  );
});

test.serial('the chat knows who may come in, whatever the words of the question', async (t) => {
  const said = async (prompt: string) => (await chat(t.context.control.ports.layout1, { prompt })).text;
  for (const prompt of ['who may reach HTTPRoute default/shop?', 'wer darf HTTPRoute default/shop erreichen?'])
    t.regex(await said(prompt), /rule orders: apiKeys \(rule, default\/orders\) inForce/, prompt);
  t.regex(await said('who may use AccessPolicy default/orders?'), /apiKeys \(rule, default\/orders\) inForce/);
  t.regex(await said('wer nutzt Service default/web?'), /HTTPRoute default\/shop/, 'who uses it is another question');
});

test.serial('the chat says who may come in at a Gateway, and where a policy is in force', async (t) => {
  const said = async (prompt: string) => (await chat(t.context.control.ports.layout1, { prompt })).text;
  t.regex(
    await said('who may call Gateway default/edge?'),
    /Gateway default\/edge: clientIPs \(gateway, default\/edge\) inForce/,
  );
  t.regex(
    await said('who may call AccessPolicy default/late?'),
    /HTTPRoute default\/shop orders: apiKeys \(rule, default\/late\) conflicted by default\/orders/,
  );
  t.regex(await said('which accesspolicies are there?'), /AccessPolicy default\/(?:late|orders)/);
});

test.serial('route-test prints what each part does with a request', async (t) => {
  const { stdout, code } = await cli(
    t.context,
    'route-test',
    'http://shop.test/',
    '--from',
    '192.0.2.1',
    '-H',
    'x-key: no',
  );
  const at = stdout.split('\n').indexOf('Access');
  const table = stdout.split('\n').slice(at + 1, at + 5);
  t.deepEqual(
    table.map((line) => line.trim().split(/ {2,}/)),
    [
      ['PART', 'LEVEL', 'POLICY', 'VERDICT', 'WHY'],
      ['clientIPs', 'gateway', 'default/edge', 'passes', '192.0.2.1 is not in deny'],
      ['csrf', 'gateway', 'default/edge', 'passes', 'GET is not looked at'],
      ['apiKeys', 'rule', 'default/orders', 'denies 401', 'the key in header x-key is not known'],
    ],
    stdout,
  );
  t.is(code, 1);
  t.false(stdout.includes('sk-planted'));
});

test.serial('diff says first which access becomes weaker', async (t) => {
  const file = join(t.context.stateDirectory, 'weaker.yaml');
  writeFileSync(file, stringify(policy('edge', gateway, { csrf: {}, overridable: ['csrf'] })));
  const { stdout, stderr } = await cli(t.context, 'diff', '-f', file);
  t.regex(stdout, /^WEAKER ACCESS: .*no longer demands an allowed address\n/, stderr);
  t.false(stdout.includes('sk-planted'));
});
