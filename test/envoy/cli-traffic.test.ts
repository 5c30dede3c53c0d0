import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { runCommand } from '../support/command.ts';
import { type Ended, startProgram } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone, untilRead } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/* `gatewright top` and `logs` over a real Envoy, one route of which leads to a port where nothing listens. */

const test = anyTest as TestFn<Standalone>;
const to = (name: string) => [{ backendRefs: [{ name, port: 80 }] }];

test.before(async (t) => {
  t.context = await startStandalone();
  const { write, backend, get } = t.context;
  const [service, slice] = (await backend('web')) as [object, { ports: object[]; metadata: object }];
  write('web.yaml', service, slice);
  write(
    'away.yaml',
    { ...service, metadata: { name: 'away' } },
    {
      ...slice,
      metadata: { name: 'away-1', labels: { 'kubernetes.io/service-name': 'away' } },
      ports: [{ port: await freePort() }],
    },
  );
  write('good.yaml', routeObject('good', 'good.test', to('web')));
  write('bad.yaml', routeObject('bad', 'bad.test', to('away')));
  // Asked earlier, the good one may fail as well, and its failure would be known.
  await untilRead(
    t.context,
    ['Service', 'default/web'],
    ['Service', 'default/away'],
    ['HTTPRoute', 'default/good'],
    ['HTTPRoute', 'default/bad'],
  );
  t.deepEqual([(await get('good.test')).status, (await get('bad.test')).status], [200, 503]);
  const { control, json } = t.context;
  await untilFits(
    'the requests to be reported',
    async () =>
      (await json(control.ports.layout1, '/v1/traffic')).body as { totals: { errors: number }; total: number },
    ({ totals, total }) => totals.errors > 0 && total >= 2,
  );
});
test.after.always((t) => t.context.stop());

const envOf = ({ control }: Standalone) => ({ GATEWRIGHT_SERVER: `http://127.0.0.1:${control.ports.layout1}` });
const run = (t: { context: Standalone }, ...args: string[]): Promise<Ended> => runCommand(args, envOf(t.context));

thorough(test.serial)('top: what fails first, once when piped, for people, programs and shells', async (t) => {
  const { code, stdout, stderr } = await run(t, 'top');
  t.is(code, 0, stderr);
  t.regex(
    stdout,
    /^\d+(\.\d+)? requests a second, \d+ in all, \d+ errors? \(\d+\.\d%\)\nNAME +REQ\/S +ERRORS +4XX +5XX +P50 +P99 +FLAGS\ndefault\/bad +/,
  );
  t.regex(stdout, /\ndefault\/bad +\S+ +\d+ \(100\.0%\) +0 +\d+ .* UF \d+/);
  t.true(
    stdout.split('\n').every((line) => line.startsWith('note: ') || line.length <= 80),
    stdout,
  );
  t.regex((await run(t, 'top', 'backends', '--once')).stdout, /\ndefault\/away:80 +/);
  t.regex((await run(t, 'top', 'nodes', '--no-headers')).stdout, /^default\.edge +/);
  t.true((await run(t, 'top', '-o', 'name')).stdout.split('\n').includes('httproute/default/bad'));
  const { items, source } = JSON.parse((await run(t, 'top', '-o', 'json', '--window', '15m')).stdout);
  t.is(source, 'agents');
  t.like(items[0], { kind: 'HTTPRoute', name: 'bad', errorRatio: 1 });
});

test.serial('top: a wrong word, a wrong window', async (t) => {
  const word = await run(t, 'top', 'pods');
  t.is(word.code, 2);
  t.regex(word.stderr, /Allowed choices are routes, backends, listeners, gateways, nodes/);
  const window = await run(t, 'top', '--window', '3s');
  t.is(window.code, 2);
  t.regex(window.stderr, /from 1m to 24h/);
});

test.serial('logs: failed requests in words, each flag explained once, and where the others are', async (t) => {
  await t.context.get('bad.test', '/again');
  const { stdout } = await untilFits(
    'the request to be reported',
    () => run(t, 'logs', 'bad'),
    (ended) => ended.stdout.includes('/again'),
  );
  t.regex(stdout, /^requests of HTTPRoute\/default\/bad: \d+ failed\n/);
  t.regex(stdout, /GET bad\.test\/again: 503 after \d+ms.*, to default\/away:80 at 127\.0\.0\.1:\d+: .*UF/);
  t.is(stdout.match(/^UF: /gm)?.length, 1, stdout);
  t.regex(stdout, /\n {2}next: /);
  t.regex(stdout, /spec\.accessLog of the DataPlane/);
  const good = await run(t, 'logs', 'httproute/default/good');
  t.is(good.code, 0);
  t.regex(good.stdout, /^no failed request of HTTPRoute\/default\/good is known/);
  const near = await run(t, 'logs', 'bda');
  t.is(near.code, 2);
  t.regex(near.stderr, /did you mean "bad"\?/);
  const described = await run(t, 'describe', 'route', 'bad');
  t.regex(described.stdout, /LAST FAILURES\n {2}\S+ GET bad\.test\//);
});

test.serial('logs --follow prints new ones, and an interrupt ends it well', async (t) => {
  const following = startProgram(['logs', 'bad', '--follow'], envOf(t.context));
  t.teardown(() => following.kill('SIGKILL'));
  await until('the first lines', () => following.output.stdout.includes('accessLog'));
  await t.context.get('bad.test', '/later');
  await until('the new one', () => following.output.stdout.includes('GET bad.test/later: 503'));
  following.kill('SIGINT');
  t.is((await following.ended).code, 0);
  t.is(following.output.stdout.match(/\/later: /g)?.length, 1);
});
