import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { crdDir } from '../../scripts/paths.mjs';
import { route } from '../unit/sources/directory-harness.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const program = fileURLToPath(new URL('../../bin/gatewright.ts', import.meta.url));

const run = (...args: string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { ...process.env, GATEWRIGHT_DEFINITIONS: crdDir('standard') };
    const child = execFile(process.execPath, [program, 'validate', ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });

test('validate says what it found and ends with 0, 1 or 2', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-command-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const [good, bad] = [join(directory, 'good.yaml'), join(directory, 'bad.yaml')];
  await writeFile(good, route('shop'));
  await writeFile(bad, route('other').replace('hostnames:', 'hostname:'));

  const valid = await run(good);
  t.deepEqual(valid, { code: 0, stdout: '1 object in 1 file: 0 errors, 0 warnings\n', stderr: '' });

  const wrong = await run(directory);
  t.is(wrong.code, 1, wrong.stderr);
  t.is(
    wrong.stdout,
    `${bad}:8:3: error: HTTPRoute default/other: spec.hostname: unknown field "hostname"
  hint: did you mean "hostnames"?
2 objects in 2 files: 1 error, 0 warnings
`,
  );

  const json = await run('-o', 'json', bad);
  t.is(json.code, 1);
  t.deepEqual(JSON.parse(json.stdout), {
    valid: false,
    files: 1,
    objects: 1,
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
