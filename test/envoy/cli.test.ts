import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { extract } from 'tar';
import { stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { type Ended, fileFor, startProgram } from '../support/program.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/*
 * Commands that need everything there is: control plane, agent, Envoy. One world, which none of them changes but the tests themselves.
 */

const test = anyTest as TestFn<Standalone>;
const rule = [{ backendRefs: [{ name: 'web', port: 80 }] }];
const shop = (host: string) => ({
  ...routeObject('shop', host, rule),
  metadata: { name: 'shop', namespace: 'default' },
});

test.before(async (t) => {
  t.context = await startStandalone();
  t.context.write('backends.yaml', ...(await t.context.backend('web')));
  t.context.write('shop.yaml', shop('shop.test'));
  await serves(t.context, 'shop.test');
});
test.after.always((t) => t.context.stop());

const serves = (standalone: Standalone, host: string) =>
  untilFits(
    `${host} to be served`,
    async () => ({ status: (await standalone.get(host)).status, current: isCurrent(standalone) }),
    ({ status, current }) => status === 200 && current,
  );

const serverOf = ({ control }: Standalone) => ({ GATEWRIGHT_SERVER: `http://127.0.0.1:${control.ports.layout1}` });
const run = (standalone: Standalone, ...args: string[]): Promise<Ended> => runCommand(args, serverOf(standalone));

const fileOf = (t: ExecutionContext, ...objects: object[]): string =>
  fileFor(t, objects.map((object) => stringify(object)).join('---\n'), 'proposal.yaml');

test.serial('diff -f: what is live already differs in nothing', async (t) => {
  const { code, stdout, stderr } = await run(t.context, 'diff', '-f', t.context.directory);
  t.is(code, 0, stdout + stderr);
  t.is(stdout, 'nothing would change\n');
});

test.serial('diff -f: what a file would change in objects, statuses and proxies, and nothing changes', async (t) => {
  const { control } = t.context;
  const before = control.graph.snapshot()?.id;
  const file = fileOf(
    t,
    shop('store.test'),
    { ...routeObject('lost', 'lost.test', [{ backendRefs: [{ name: 'missing', port: 80 }] }]) },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: {} },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'cert' },
      type: 'Opaque',
      data: { password: 'c2VjcmV0' },
    },
  );
  const { code, stdout, stderr } = await run(t.context, 'diff', '-f', file);
  t.is(code, 1, stderr);
  t.regex(stdout, /--- live\/HTTPRoute default\/shop\n\+\+\+ files\/HTTPRoute default\/shop\n/);
  t.regex(stdout, /\n- {4}- shop\.test\n\+ {4}- store\.test\n/);
  t.regex(stdout, /--- \/dev\/null\n\+\+\+ files\/HTTPRoute default\/lost\n/);
  t.regex(stdout, /\+\+\+ then\/status of HTTPRoute default\/lost\n(.*\n)*\+ +reason: BackendNotFound\n/);
  t.regex(
    stdout,
    /--- now\/ScopedRouteConfiguration http\/\d+\|shop\.test of Gateway default\/edge\n\+\+\+ \/dev\/null\n/,
  );
  t.regex(stdout, /\+\+\+ then\/ScopedRouteConfiguration http\/\d+\|store\.test of Gateway default\/edge\n/);
  t.regex(stdout, /3 of 3 objects, .* would change\n$/);
  t.false(stdout.includes('c2VjcmV0'));
  t.is(control.graph.snapshot()?.id, before);
  t.is(control.graph.find('HTTPRoute', 'default/lost'), undefined);
});

test.serial('diff --node: a current data plane holds what it is sent', async (t) => {
  const node = t.context.control.xds.nodes.list()[0]?.nodeId ?? '';
  // An agent has some seconds to answer, which a machine that stands still does not give it.
  const { code, stdout } = await untilFits(
    'a comparison',
    () => run(t.context, 'diff', '--node', node),
    (ended) => ended.code !== 2,
  );
  t.is(code, 0, stdout);
  t.is(stdout, 'the data plane holds what it is sent\n');
  const noOne = await run(t.context, 'diff', '--node', 'unknown');
  t.is(noOne.code, 2);
  t.regex(noOne.stderr, /node_not_found/);
});

test.serial('get --watch appends what changes, and an interrupt ends it well', async (t) => {
  const watching = startProgram(['get', 'routes', '--watch'], serverOf(t.context));
  t.teardown(() => watching.kill('SIGKILL'));
  await until('the first lines', () => /HTTPRoute +default +shop /.test(watching.output.stdout));
  t.context.write('second.yaml', routeObject('second', 'second.test', rule));
  await until('the new route', () => /HTTPRoute +default +second +second\.test +yes +yes/.test(watching.output.stdout));
  t.context.remove('second.yaml');
  await until('its end', () => /second\.test .*\(gone\)/.test(watching.output.stdout));
  watching.kill('SIGINT');
  const { code, stdout, stderr } = await watching.ended;
  t.is(code, 0, stderr);
  t.is(stdout.match(/^HTTPRoute +default +shop /gm)?.length, 1, stdout);
  t.is(stderr, '');
});

test.serial('collect: one archive with everything, and without what is secret', async (t) => {
  const planted = ['hush-header-value', 'hush-annotation', 'hush-match'];
  const guarded = routeObject('guarded', 'guarded.test', [
    {
      matches: [{ headers: [{ name: 'x-api-key', value: planted[2] }] }],
      filters: [
        {
          type: 'RequestHeaderModifier',
          requestHeaderModifier: { set: [{ name: 'Authorization', value: planted[0] }] },
        },
      ],
      ...rule[0],
    },
  ]);
  t.context.write('guarded.yaml', {
    ...guarded,
    metadata: { name: 'guarded', annotations: { 'example.com/password': planted[1] } },
  });
  await until('the route', () => t.context.control.graph.count('HTTPRoute') === 2 && isCurrent(t.context));
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-collected-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'all.tar.gz');
  const metrics = `http://127.0.0.1:${t.context.control.ports.metrics}`;
  const { stdout } = await untilFits(
    'an archive with nothing missing',
    () => run(t.context, 'collect', '-f', file, '--metrics', metrics),
    (ended) => ended.code === 0 && !ended.stdout.includes('not there'),
  );
  t.regex(stdout, /all\.tar\.gz: \d+ files\n/);
  await extract({ file, cwd: directory });
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = new Map(
    names
      .filter(({ name }) => !name.endsWith('.tar.gz'))
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')]),
  );
  for (const name of [
    'versions.json',
    'snapshot.json',
    'nodes.json',
    'events.json',
    'resources.json',
    'metrics.txt',
    'config-dump.json',
    'stats.json',
  ])
    t.true((texts.get(name)?.length ?? 0) > 20, `${name}: ${[...texts.keys()]}`);
  t.regex(texts.get('routes.json') ?? '', /guarded\.test/);
  t.regex(texts.get('metrics.txt') ?? '', /^gatewright_/m);
  for (const [name, text] of texts)
    for (const secret of planted) t.false(text.includes(secret), `${secret} in ${name}`);
});
