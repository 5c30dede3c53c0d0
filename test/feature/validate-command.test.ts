import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { crdDir } from '../../scripts/paths.mjs';
import { runCommand } from '../support/command.ts';
import { type Ended, runProgram } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';
import { route } from '../unit/sources/directory-harness.ts';

const run = (...args: string[]): Promise<Ended> =>
  runCommand(['validate', ...args], { GATEWRIGHT_DEFINITIONS: crdDir('standard') });

test('validate says what it found and ends with 0, 1 or 2', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-command-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const [good, bad] = [join(directory, 'good.yaml'), join(directory, 'bad.yaml')];
  await writeFile(good, route('shop'));
  await writeFile(bad, route('other').replace('hostnames:', 'hostname:'));

  const valid = await runProgram(['validate', good], { GATEWRIGHT_DEFINITIONS: crdDir('standard') });
  t.deepEqual(valid, { code: 0, stdout: '1 object in 1 file: 0 errors, 0 warnings\n', stderr: '' });

  const wrong = await run(directory);
  t.is(wrong.code, 1, wrong.stderr);
  t.is(
    wrong.stdout,
    `${bad}:8:3: error: HTTPRoute default/other: spec.hostname: unknown field "hostname"
  hint: did you mean "hostnames"?
${good}:1:1: warning: HTTPRoute default/shop: none of its parents is among these files, so its references are not judged
2 objects in 2 files: 1 error, 1 warning
`,
  );

  const json = await run('-o', 'json', bad);
  t.is(json.code, 1);
  t.deepEqual(JSON.parse(json.stdout), {
    valid: false,
    files: 1,
    objects: 1,
    passedOver: [],
    findings: [
      {
        severity: 'error',
        file: bad,
        line: 8,
        column: 3,
        object: 'HTTPRoute default/other',
        path: 'spec.hostname',
        message: 'unknown field "hostname"',
        hint: 'did you mean "hostnames"?',
      },
    ],
  });

  for (const args of [[join(directory, 'missing.yaml')], [], ['-o', 'xml', good], ['--unknown', good]]) {
    const failed = await run(...args);
    t.is(failed.code, 2, args.join(' '));
    t.not(failed.stderr, '');
    t.is(failed.stdout, '');
  }
});

const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge}
spec:
  gatewayClassName: gatewright
  listeners: [{name: http, port: 80, protocol: HTTP}]
`;
const lost = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: lost}
spec:
  parentRefs: [{name: edge}]
  rules: [{backendRefs: [{name: nowhere, port: 80}]}]
`;

test('validate judges references of a directory, and of files with --with-references', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-command-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const file = join(directory, 'all.yaml');
  await writeFile(file, [gateway, lost].join('---\n'));
  const fault = `${file}:8:1: error: HTTPRoute default/lost: BackendNotFound: `;
  for (const args of [[directory], ['--with-references', file]]) {
    const wrong = await run(...args);
    t.is(wrong.code, 1, wrong.stdout + wrong.stderr);
    t.true(wrong.stdout.startsWith(fault), wrong.stdout);
  }
  for (const args of [[file], ['--no-with-references', directory]]) t.is((await run(...args)).code, 0, args.join(' '));

  const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: nowhere}\nspec: {ports: [{port: 80}]}\n';
  await writeFile(join(directory, 'service.yaml'), service);
  const good = await run(directory);
  t.is(good.code, 0, good.stdout);
  await writeFile(file, lost);
  const apart = await run(directory);
  t.is(apart.code, 0, 'a route of a Gateway elsewhere');
  t.regex(apart.stdout, /: warning: HTTPRoute default\/lost: none of its parents is among these files/);
});

test('validate rejects unknown kinds of known groups, and names what is not read', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-command-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const [misspelt, mixed] = [join(directory, 'misspelt.yaml'), join(directory, 'mixed.yaml')];
  await writeFile(misspelt, route('shop').replace('kind: HTTPRoute', 'kind: HttpRoute'));
  const ingress = 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: old}\n';
  const foreign = 'apiVersion: example.com/v1\nkind: TrafficPolicy\nmetadata: {name: theirs}\n';
  await writeFile(mixed, [route('shop'), ingress, ingress, foreign].join('---\n'));

  const wrong = await run(misspelt);
  t.is(wrong.code, 1, wrong.stderr);
  t.regex(
    wrong.stdout,
    /: error: kind: unknown kind HttpRoute of gateway\.networking\.k8s\.io .*\n {2}hint: did you mean "HTTPRoute"\?\n/,
  );

  const passed = await run(mixed);
  const summary = '1 object in 1 file: 0 errors, 0 warnings';
  const notRead = 'not read: 1 TrafficPolicy (example.com/v1), 2 Ingress (networking.k8s.io/v1)\n';
  t.is(passed.code, 0);
  t.is(
    passed.stdout.match(
      /: warning: kind: Ingress is not read and is ignored: set ingress\.enabled, or write a Gateway and an HTTPRoute/g,
    )?.length,
    2,
  );
  t.true(passed.stdout.endsWith(`${summary.replace('0 warnings', '2 warnings')}\n${notRead}`), passed.stdout);

  const strict = await run('--strict', mixed);
  t.is(strict.code, 1, strict.stderr);
  t.is(strict.stdout.match(/: error: kind: (Ingress|TrafficPolicy)\b.* is not read/g)?.length, 3, strict.stdout);
});

thorough(test)('validate warns of a match that two routes have on one host, and names both', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-command-'));
  t.teardown(() => rm(directory, { recursive: true }));
  await writeFile(
    join(directory, 'routes.yaml'),
    `${gateway.replace('edge', 'web')}---\n${route('one')}---\n${route('two')}`,
  );
  t.regex(
    (await run(directory)).stdout,
    /warning: HTTPRoute default\/two: rule 0 \(path prefix \/\) gets no request on .*: HTTPRoute default\/one has the same match in rule 0 and goes first, as it is as old and its name comes first\n {2}hint: in a cluster, the older of the two goes first\n/,
  );
});
