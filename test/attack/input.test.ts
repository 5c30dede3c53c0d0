import anyTest, { type TestFn } from 'ava';
import { hostileBodies } from '../support/hostile-bodies.ts';
import { hostileYaml } from '../support/hostile-yaml.ts';
import { InputWorld } from '../support/input-world.ts';
import { request } from '../support/request.ts';
import { routeObject } from '../support/standalone.ts';
import { until } from '../support/until.ts';

// A client of the admin API whose bodies cost more than they weigh.

const test = anyTest as TestFn<{ world: InputWorld }>;
const patient = 600_000;
const mebi = 1024 * 1024;

test.before(async (t) => {
  t.timeout(patient);
  t.context.world = await InputWorld.start();
  // Definitions of kinds, and code that has not run before, are of the first request.
  for (const make of Object.values(hostileBodies)) await askJson(t.context.world, jsonOf(make(2_000)));
  for (const form of ['flowKeys', 'docs']) await askYaml(t.context.world, hostileYaml[form]?.(40_000) ?? '');
});

test.after.always((t) => t.context.world?.stop());

async function ask({ admin }: InputWorld, type: 'yaml' | 'json', body: string, path: string) {
  const headers = { 'content-type': `application/${type}` };
  const response = await request(`${admin}${path}`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

const askYaml = (world: InputWorld, body: string, path = '/v1/validate') => ask(world, 'yaml', body, path);
const askJson = (world: InputWorld, body: string, path = '/v1/validate') => ask(world, 'json', body, path);

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
  test.serial(`1 MiB of YAML delays no other request: ${form}`, async (t) => {
    t.timeout(patient);
    const { world } = t.context;
    const text = hostileYaml[form]?.(mebi - 5_000) ?? '';
    world.longestTurn();
    const before = performance.now();
    const { status } = await askYaml(world, text, paths[form.length % paths.length]);
    const after = performance.now();
    t.true(status < 500, String(status));
    await world.serves('healthy.test');
    const turn = world.longestTurn();
    t.log(`${form}: ${status} after ${Math.round(after - before)} ms, longest turn ${turn} ms`);
    t.true(world.isBearable(turn), `${turn} ms`);
  });
}

for (const [form, make] of Object.entries(hostileBodies)) {
  test.serial(`an object of up to 1 MiB delays no other request: ${form}`, async (t) => {
    t.timeout(patient);
    const { world } = t.context;
    for (const path of paths) {
      world.longestTurn();
      const before = performance.now();
      const { status, text } = await askJson(world, largest(make, path === '/v1/diff' ? listOf : jsonOf), path);
      const after = performance.now();
      t.true(status < 500, text.slice(0, 200));
      t.true(text.length < 8_000_000, 'the answer is not many times the question');
      await world.serves('healthy.test');
      const turn = world.longestTurn();
      t.log(
        `${form}: ${path} ${status} after ${Math.round(after - before)} ms, longest turn ${turn} ms, ${text.length} bytes`,
      );
      t.true(world.isBearable(turn), `${turn} ms`);
    }
  });
}

test.serial('a route test of a long path against many expressions delays no other client', async (t) => {
  t.timeout(patient);
  const { world } = t.context;
  const paths = Array.from({ length: 320 }, (_, index) => `/(a?){300}${index}b`);
  const rules = paths.map((value) => ({
    matches: [{ path: { type: 'RegularExpression', value } }],
    filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'served.test' } }],
  }));
  const routes = Array.from({ length: paths.length / 16 }, (_, index) =>
    routeObject(`slow-${index}`, 'slow.test', rules.slice(index * 16, index * 16 + 16)),
  );
  world.write('slow.yaml', [...routes, routeObject('slow-end', 'slow-end.test', [rules[0] as object])]);
  const test = { host: 'slow.test', path: `/${'a'.repeat(15_000)}`, port: world.proxyPort };
  const tested = async () => JSON.parse((await askJson(world, JSON.stringify(test), '/v1/route-test')).text);
  world.longestTurn();
  // The first to meet them all compiles them.
  const { outcome } = await until(
    'all expressions to be tried',
    async () => {
      const answer = await tested();
      return answer.candidateCount === paths.length ? answer : undefined;
    },
    patient,
  );
  const turn = world.longestTurn();
  t.is(outcome, 'no_route');
  t.log(`${paths.length} expressions, longest turn ${turn} ms`);
  t.true(world.isBearable(turn), `${turn} ms`);
});
