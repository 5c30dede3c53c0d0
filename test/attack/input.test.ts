import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { hostileBodies } from '../support/hostile-bodies.ts';
import { hostileYaml } from '../support/hostile-yaml.ts';
import { InputWorld, type Turns } from '../support/input-world.ts';
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

function isBearable(t: ExecutionContext, { isBearable, turnsMs }: Turns, what: string): void {
  t.log(`${what}: longest turns ${turnsMs.join(', ')} ms`);
  t.true(isBearable, `${turnsMs.join(', ')} ms`);
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
    const turns = await world.turnsOf(async () => {
      const { status } = await askYaml(world, text, paths[form.length % paths.length]);
      t.true(status < 500, String(status));
      await world.serves('healthy.test');
    });
    isBearable(t, turns, form);
  });
}

for (const [form, make] of Object.entries(hostileBodies)) {
  test.serial(`an object of up to 1 MiB delays no other request: ${form}`, async (t) => {
    t.timeout(patient);
    const { world } = t.context;
    for (const path of paths) {
      const body = largest(make, path === '/v1/diff' ? listOf : jsonOf);
      const turns = await world.turnsOf(async () => {
        const { status, text } = await askJson(world, body, path);
        t.true(status < 500, text.slice(0, 200));
        t.true(text.length < 8_000_000, 'the answer is not many times the question');
        await world.serves('healthy.test');
      });
      isBearable(t, turns, `${form}: ${path}`);
    }
  });
}

test.serial('a route test of a long path against many expressions delays no other client', async (t) => {
  t.timeout(patient);
  const { world } = t.context;
  const turns = await world.turnsOf(async (attempt) => {
    t.is(await testedAgainstMany(world, attempt), 'no_route');
  });
  isBearable(t, turns, 'many expressions');
});

/** Asks until all expressions are tried, which are others at each attempt: the first to meet them compiles them. Gives the outcome. */
async function testedAgainstMany(world: InputWorld, attempt: number): Promise<string> {
  const paths = Array.from({ length: 320 }, (_, index) => `/(a?){300}${attempt}-${index}b`);
  const rules = paths.map((value) => ({
    matches: [{ path: { type: 'RegularExpression', value } }],
    filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'served.test' } }],
  }));
  const host = `slow-${attempt}.test`;
  const routes = Array.from({ length: paths.length / 16 }, (_, index) =>
    routeObject(`slow-${index}`, host, rules.slice(index * 16, index * 16 + 16)),
  );
  world.write('slow.yaml', [...routes, routeObject('slow-end', 'slow-end.test', [rules[0] as object])]);
  const question = JSON.stringify({ host, path: `/${'a'.repeat(15_000)}`, port: world.proxyPort });
  const tested = async () => {
    const answer = JSON.parse((await askJson(world, question, '/v1/route-test')).text);
    return answer.candidateCount === paths.length ? answer : undefined;
  };
  return (await until('all expressions to be tried', tested, patient)).outcome;
}
