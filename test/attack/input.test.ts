import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import anyTest, { type TestFn } from 'ava';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { hostileBodies } from '../support/hostile-bodies.ts';
import { hostileYaml } from '../support/hostile-yaml.ts';
import { type Running, startProgram } from '../support/program.ts';
import { request } from '../support/request.ts';
import { gatewayObjects, routeObject } from '../support/standalone.ts';
import { until } from '../support/until.ts';

// A client of the admin API, and a hand that writes files, whose texts cost more than they weigh.

/** How long others may be held up, in milliseconds of the processor. */
const mostMs = 250;

interface World {
  readonly program: Running;
  readonly directory: string;
  readonly admin: string;
  readonly turnFile: string;
  readonly proxyPort: number;
}
const test = anyTest as TestFn<World>;
const patient = 600_000;

test.before(async (t) => {
  t.timeout(patient);
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-input-'));
  const [proxyPort, adminPort] = [await freePort(), await freePort()];
  const answer = { type: 'RequestRedirect', requestRedirect: { statusCode: 302, hostname: 'served.test' } };
  const objects = [...gatewayObjects(proxyPort), routeObject('healthy', 'healthy.test', [{ filters: [answer] }])];
  writeFileSync(join(directory, 'healthy.yaml'), objects.map((object) => stringify(object)).join('---\n'));
  const turnFile = join(directory, '.turns');
  const config = join(directory, '.config.yaml');
  const at = (port: number) => `127.0.0.1:${port}`;
  writeFileSync(turnFile, '');
  writeFileSync(
    config,
    JSON.stringify({
      xds: { listen: at(await freePort()) },
      admin: { listen: at(adminPort), layout2Listen: at(await freePort()) },
      metrics: { listen: at(await freePort()) },
      dataplane: { adminListen: at(await freePort()) },
      adminAuth: { requestsPerSecond: 0 },
      state: { directory: join(directory, '.state') },
      log: { level: 'warn' },
    }),
  );
  const watch = fileURLToPath(new URL('../support/turn-watch.ts', import.meta.url));
  const program = startProgram(['run', '-f', directory, '--config', config], {
    TURN_WATCH: turnFile,
    NODE_OPTIONS: `--import=${watch}`,
  });
  Object.assign(t.context, { program, directory, admin: `http://${at(adminPort)}`, turnFile, proxyPort });
  await until('the gateway to serve', () => isServed(t.context), patient);
  // Definitions of kinds, and code that has not run before, are of the first request.
  for (const make of Object.values(hostileBodies)) await askJson(t.context, jsonOf(make(2_000)));
  for (const form of ['flowKeys', 'docs'] as const) await askYaml(t.context, hostileYaml[form]?.(40_000) ?? '');
});

test.after.always(async (t) => {
  t.context.program?.kill('SIGTERM');
  await t.context.program?.ended;
  if (t.context.directory) rmSync(t.context.directory, { recursive: true, force: true });
});

async function isServed({ proxyPort, program }: World): Promise<true | undefined> {
  if (program.output.stderr.includes('gatewright: ')) throw new Error(program.output.stderr);
  const served = await request(`http://127.0.0.1:${proxyPort}/`, { headers: { host: 'healthy.test' } }).catch(
    () => undefined,
  );
  return served?.status === 302 ? true : undefined;
}

async function ask({ admin }: World, type: 'yaml' | 'json', body: string, path: string) {
  const headers = { 'content-type': `application/${type}` };
  const response = await request(`${admin}${path}`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

const askYaml = (world: World, body: string, path = '/v1/validate') => ask(world, 'yaml', body, path);
const askJson = (world: World, body: string, path = '/v1/validate') => ask(world, 'json', body, path);

/** The longest turn of the event loop that has come to an end since the last call. */
function longestTurn({ turnFile }: World): number {
  const turns = readFileSync(turnFile, 'utf8').split('\n').map(Number);
  writeFileSync(turnFile, '');
  return Math.max(0, ...turns);
}

/** How much slower than where the bound was set this machine is now, for the same work. */
function slowness(): number {
  const { user } = process.cpuUsage();
  let sum = 0;
  for (let index = 0; index < 50_000_000; index += 1) sum = (sum + index) % 1_000_003;
  const took = process.cpuUsage().user - user;
  return Math.max(1, took / 1_000 / referenceMs, sum < 0 ? 1 : 0);
}
const referenceMs = 200;

const mebi = 1024 * 1024;

/** What `make` gives of up to 1 MiB. */
function largest(make: (size: number) => unknown, asJson: (body: unknown) => string): string {
  for (let size = mebi; ; size *= 0.8) {
    const text = asJson(make(size));
    if (text.length < mebi) return text;
  }
}

const jsonOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));
const listOf = (body: unknown): string => `{"apiVersion": "v1", "kind": "List", "items": [${jsonOf(body)}]}`;

const paths = ['/v1/validate', '/v1/diff', '/v1/resources?dryRun=true'] as const;

/** Of more than a hundred, whose work test/unit/yaml counts. */
const dearest = [
  ...[
    'flowKeys',
    'blockKeys',
    'brackets',
    'commas',
    'docs',
    'aliases',
    'aliasesAnchLate',
    'mergeMany',
    'flowCommentsIndent',
  ],
  ...['tabKeys', 'tagsMany', 'manyErrors', 'literalEmpty', 'emptyKeys'],
];

for (const form of dearest) {
  test.serial(`1 MiB of YAML holds nobody else up: ${form}`, async (t) => {
    t.timeout(patient);
    const text = hostileYaml[form]?.(mebi - 5_000) ?? '';
    longestTurn(t.context);
    const before = performance.now();
    const { status } = await askYaml(t.context, text, paths[form.length % paths.length]);
    const after = performance.now();
    t.true(status < 500, String(status));
    t.true(await isServed(t.context));
    const turn = longestTurn(t.context);
    t.log(`${form}: ${status} after ${Math.round(after - before)} ms, longest turn ${turn} ms`);
    t.true(turn < mostMs * slowness(), `${turn} ms`);
  });
}

for (const [form, make] of Object.entries(hostileBodies)) {
  test.serial(`an object of up to 1 MiB holds nobody else up: ${form}`, async (t) => {
    t.timeout(patient);
    for (const path of paths) {
      longestTurn(t.context);
      const before = performance.now();
      const { status, text } = await askJson(t.context, largest(make, path === '/v1/diff' ? listOf : jsonOf), path);
      const after = performance.now();
      t.true(status < 500, text.slice(0, 200));
      t.true(text.length < 8_000_000, 'the answer is not many times the question');
      t.true(await isServed(t.context));
      const turn = longestTurn(t.context);
      t.log(
        `${form}: ${path} ${status} after ${Math.round(after - before)} ms, longest turn ${turn} ms, ${text.length} bytes`,
      );
      t.true(turn < mostMs * slowness(), `${turn} ms`);
    }
  });
}
