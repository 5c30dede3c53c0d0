import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { chat } from '../../support/chat.ts';
import { runCommand } from '../../support/command.ts';
import { certificateOf, ecdsa } from '../../support/odd-certificates.ts';
import { type Standalone, startStandalone } from '../../support/standalone.ts';
import { untilFits } from '../../support/until.ts';

/*
 * Mistakes that people make in manifests, one file each; its first lines are what `/v1/problems` has to say of it, in one item: object, place
 * or cause, and next step. `gatewright validate` names each. All of them lie in the directory of one running program, and none keeps another
 * object from being served.
 */

interface World {
  readonly program: Standalone;
  readonly items: readonly Item[];
  /** One text for each problem: object, message, cause and next step. */
  readonly problems: readonly string[];
  /** Warnings and errors. */
  readonly log: string;
  readonly status: string;
  readonly validated: string;
}

const test = anyTest as TestFn<World>;
const folder = join(import.meta.dirname, 'cases');
const files = readdirSync(folder).sort();

const worksFolder = join(import.meta.dirname, 'works');
const working = readdirSync(worksFolder).sort();

/** Of the Secrets that have placeholders: certificate, and whose key it has. */
const pairs = async () => {
  const [sound, other, expired, early] = await Promise.all([
    certificateOf(ecdsa),
    certificateOf(ecdsa),
    certificateOf(ecdsa, 3),
    certificateOf(ecdsa, -365),
  ]);
  return new Map([
    ['certificate-expired.yaml', expired],
    ['certificate-early.yaml', early],
    ['certificate-key.yaml', { ...sound, key: other.key }],
  ]);
};
const certificates = pairs();

async function contentOf(file: string): Promise<string> {
  const text = readFileSync(join(folder, file), 'utf8');
  const pair = (await certificates).get(file);
  const base64 = (pem: string) => Buffer.from(pem).toString('base64');
  return pair ? text.replace('CERTIFICATE', base64(pair.certificate)).replace('KEY', base64(pair.key)) : text;
}

/** Known only where there are all objects of a cluster: endpoints are made from pods. */
const onlyRunning: ReadonlySet<string> = new Set(['endpoints-none']);

/** The log says what statuses, files and certificates say; not what is valid, nor what is a matter of pods or of an object that may come. */
const notLogged: ReadonlySet<string> = new Set([
  'endpoints-none',
  'weights-zero',
  'half-idle',
  'policy-target-missing',
  'tokens-without-ai',
]);

const nameOf = (file: string): string => file.replace('.yaml', '');
const loggedFiles = files.filter((file) => !notLogged.has(nameOf(file)));

const warningsOf = ({ log }: Standalone): string =>
  log.flatMap(({ level, msg }) => (level === 'warn' || level === 'error' ? [msg] : [])).join('\n');

let world: World;
test.before(async () => {
  const program = await startStandalone();
  const gateway = program.gatewayObjects[1] as { spec: { listeners: object[] } };
  const { port } = program;
  gateway.spec.listeners.push({ name: 'narrow', port, protocol: 'HTTP', hostname: '*.narrow.example' });
  program.write('gateway.yaml', ...program.gatewayObjects);
  program.write('backends.yaml', ...(await program.backend('one')));
  for (const file of files) writeFileSync(join(program.directory, file), await contentOf(file));
  for (const file of working) copyFileSync(join(worksFolder, file), join(program.directory, `works-${file}`));
  const url = `http://127.0.0.1:${program.control.ports.layout1}`;
  const read = async () =>
    (await program.json(program.control.ports.layout1, '/v1/problems?limit=500')).body as {
      readonly items: readonly Item[];
    };
  // Files that were written together may be read one after the other.
  await untilFits(
    'no mistake to be missing among the problems',
    async () => missingIn((await read()).items),
    ({ length }) => length === 0,
  );
  const { items } = await read();
  // While all of that is read for the first time, an answer may take longer than the command waits.
  const status = await untilFits(
    'a status',
    () => runCommand(['status'], { GATEWRIGHT_SERVER: url }),
    ({ stdout }) => stdout !== '',
  );
  const validated = await runCommand(['validate', program.directory]);
  // Half a second after a change, and certificates some seconds after it.
  await untilFits(
    'no mistake to be missing in the log',
    async () => loggedFiles.filter((file) => !warningsOf(program).includes(nameOf(file))),
    ({ length }) => length === 0,
  );
  world = {
    program,
    items,
    problems: items.map(textOf),
    log: warningsOf(program),
    status: status.stdout,
    validated: validated.stdout + validated.stderr,
  };
});
test.after.always(() => world?.program.stop());

interface Item {
  readonly severity: string;
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly message: string;
  readonly cause: string;
  readonly next: string;
}

const textOf = ({ object: { kind, namespace, name }, message, cause, next }: Item): string =>
  `${kind} ${namespace}/${name}: ${message} ${cause} ${next}`;

/** Whether a text is what is to be said of a file. */
function saidOf(file: string): (text: string) => boolean {
  const text = readFileSync(join(folder, file), 'utf8');
  const says = [...text.matchAll(/^\uFEFF?# says: (.*?)\r?$/gm)].map(([, said = '']) => new RegExp(said));
  return (said) => says.every((pattern) => pattern.test(said));
}

const missingIn = (items: readonly Item[]): readonly string[] =>
  files.filter((file) => !items.map(textOf).some(saidOf(file)));

for (const file of files) {
  const isSaid = saidOf(file);
  const name = nameOf(file);
  test.serial(`${name} is a problem with its object, cause and next step`, (t) => {
    t.true(
      world.problems.some(isSaid),
      world.problems.filter((problem) => problem.includes(name)).join('\n') || 'nothing',
    );
  });
  test.serial(`${name} is found by its object`, async (t) => {
    const item = world.items.find((each) => isSaid(textOf(each)));
    if (!item) return t.fail();
    const { kind, namespace, name: of } = item.object;
    const path = `/v1/problems?object=${encodeURIComponent(`${kind}/${namespace}/${of}`)}`;
    const { body } = await world.program.json(world.program.control.ports.layout1, path);
    t.true((body as { readonly items: readonly Item[] }).items.map(textOf).some(isSaid));
  });
  if (!notLogged.has(name))
    test.serial(`${name} is in the log`, (t) => {
      t.true(world.log.includes(name));
    });
  if (!onlyRunning.has(name))
    test.serial(`${name} is named by validate`, (t) => {
      t.true(world.validated.includes(name));
    });
}

/** Asked by a person who does not know where to look. */
const asked: Readonly<Record<string, RegExp>> = {
  'HTTPRoute default/weights-zero': /all weights of its backendRefs are 0/,
  'HTTPRoute default/service-missing': /Service default\/oen does not exist/,
  'HTTPRoute default/http-on-tcp': /protocol TCP/,
  'BackendPolicy default/policy-target-missing': /Service default\/oen does not exist/,
  'Gateway default/class-unknown': /did you mean gatewright/,
};
for (const [object, said] of Object.entries(asked))
  test.serial(`the chat says what is wrong with ${object}`, async (t) => {
    const { text } = await chat(world.program.control.ports.layout1, { prompt: `is ${object} ok?` });
    t.regex(text, said);
  });

test.serial('a route of which nothing can answer is failing, one that is served in part a warning', (t) => {
  const severityOf = (name: string) => world.items.find(({ object }) => object.name === name)?.severity;
  for (const name of ['service-missing', 'weights-zero', 'grant-missing', 'endpoints-none:80'])
    t.is(severityOf(name), 'failing', name);
  for (const name of ['half-missing', 'half-idle']) t.is(severityOf(name), 'warning', name);
});

test.serial('status lists the worst of them, and that there are more', (t) => {
  t.regex(world.status, /tls-without-certificate/);
  t.regex(world.status, /… and \d+ more/);
});

for (const file of working)
  test.serial(`${file} is served`, async (t) => {
    // A proxy may still be starting: its Envoy has come up beside those of other tests.
    await untilFits(
      `a 200 for ${file}`,
      () => world.program.get(`${file.replace('.yaml', '')}.works.example`).catch(() => ({ status: 0 })),
      ({ status }) => status === 200,
    );
    t.false(world.problems.some((problem) => problem.includes(`works-${file.replace('.yaml', '')}`)));
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
