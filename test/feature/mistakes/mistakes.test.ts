import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { chat } from '../../support/chat.ts';
import { runProgram } from '../../support/program.ts';
import { type Standalone, startStandalone } from '../../support/standalone.ts';
import { untilFits } from '../../support/until.ts';

/*
 * Mistakes that people make in manifests, one file each; its first lines are what `/v1/problems` has to say of it, in one item: object, place
 * or cause, and next step. `gatewright validate` names each. All of them lie in the directory of one running program, and none keeps another
 * object from being served.
 */

interface World {
  readonly program: Standalone;
  /** One text for each problem: object, message, cause and next step. */
  readonly problems: readonly string[];
  readonly status: string;
  readonly validated: string;
}

const test = anyTest as TestFn<World>;
const folder = join(import.meta.dirname, 'cases');
const files = readdirSync(folder).sort();

/** Known only where there are all objects of a cluster: `validate` cannot know that there is no such class or target elsewhere. */
const onlyRunning: ReadonlySet<string> = new Set(['class-unknown', 'policy-target-missing']);

let world: World;
test.before(async () => {
  const program = await startStandalone();
  const gateway = program.gatewayObjects[1] as { spec: { listeners: object[] } };
  const { port } = program;
  gateway.spec.listeners.push({ name: 'narrow', port, protocol: 'HTTP', hostname: '*.narrow.example' });
  program.write('gateway.yaml', ...program.gatewayObjects);
  program.write('backends.yaml', ...(await program.backend('one')));
  for (const file of files) copyFileSync(join(folder, file), join(program.directory, file));
  const url = `http://127.0.0.1:${program.control.ports.layout1}`;
  const read = async () =>
    (await program.json(program.control.ports.layout1, '/v1/problems?limit=500')).body as {
      readonly items: readonly Item[];
    };
  const { items } = await untilFits('the files to be read', read, (body) => {
    const text = JSON.stringify(body);
    return ['version-misspelt', 'parent-misspelt', 'ai-credential-missing'].every((name) => text.includes(name));
  });
  const status = await runProgram(['status'], { GATEWRIGHT_SERVER: url });
  const validated = await runProgram(['validate', program.directory]);
  world = {
    program,
    problems: items.map(textOf),
    status: status.stdout,
    validated: validated.stdout + validated.stderr,
  };
});
test.after.always(() => world?.program.stop());

interface Item {
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly message: string;
  readonly cause: string;
  readonly next: string;
}

const textOf = ({ object: { kind, namespace, name }, message, cause, next }: Item): string =>
  `${kind} ${namespace}/${name}: ${message} ${cause} ${next}`;

for (const file of files) {
  const text = readFileSync(join(folder, file), 'utf8');
  const says = [...text.matchAll(/^# says: (.*)$/gm)].map(([, said = '']) => new RegExp(said));
  const isSaid = (said: string) => says.every((pattern) => pattern.test(said));
  const name = file.replace('.yaml', '');
  test.serial(`${name} is a problem with its object, cause and next step`, (t) => {
    t.true(
      world.problems.some(isSaid),
      world.problems.filter((problem) => problem.includes(name)).join('\n') || 'nothing',
    );
  });
  if (!onlyRunning.has(name))
    test.serial(`${name} is named by validate`, (t) => {
      t.true(world.validated.includes(name));
    });
}

test.serial('status lists the worst of them, and that there are more', (t) => {
  t.regex(world.status, /tls-without-certificate/);
  t.regex(world.status, /… and \d+ more/);
});

test.serial('what is right is served beside all of it', async (t) => {
  const { program } = world;
  program.write('good.yaml', {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'good' },
    spec: {
      parentRefs: [{ name: 'edge' }],
      hostnames: ['good.example.com'],
      rules: [{ backendRefs: [{ name: 'one', port: 80 }] }],
    },
  });
  await untilFits(
    'the good route',
    () => program.get('good.example.com'),
    ({ status }) => status === 200,
  );
  const { text } = await chat(program.control.ports.layout1, { prompt: 'is HTTPRoute default/good ok?' });
  t.regex(text, /Nothing is wrong with HTTPRoute default\/good/);
});
