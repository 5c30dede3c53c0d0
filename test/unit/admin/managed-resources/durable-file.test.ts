import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { directoryError } from '../../../../src/admin/managed-resources/directory/directory-error.ts';
import { removeDurably, writeDurably } from '../../../../src/admin/managed-resources/directory/durable-file.ts';

async function directoryOf(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-durable-'));
  t.teardown(() => rm(directory, { recursive: true }));
  return directory;
}

const size = 200_000;

/** Writes a file full of one letter, then of the other, and says so after each; for ever. */
const writer = `
const { writeDurably } = await import(process.argv[1]);
for (let turn = 0; ; turn += 1) {
  await writeDurably(process.argv[2], (turn % 2 ? 'b' : 'a').repeat(${size}));
  process.stdout.write('.');
}`;

test('a writer that is killed leaves the old text or the new one, and what it said was written', async (t) => {
  const directory = await directoryOf(t);
  const path = join(directory, 'file.yaml');
  const module = new URL('../../../../src/admin/managed-resources/directory/durable-file.ts', import.meta.url).href;
  for (const turns of [1, 2, 5]) {
    await rm(path, { force: true });
    const child = spawn(process.execPath, ['--input-type=module', '-e', writer, module, path]);
    t.teardown(() => child.kill('SIGKILL'));
    let said = 0;
    for await (const chunk of child.stdout) {
      said += (chunk as Buffer).length;
      if (said >= turns) break;
    }
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
    const text = await readFile(path, 'utf8');
    t.is(text.length, size);
    t.regex(text, /^(a+|b+)$/);
  }
  const others = (await readdir(directory)).filter((name) => name !== 'file.yaml');
  t.true(
    others.every((name) => name.startsWith('.')),
    'a draft has a name that no source reads',
  );
});

test('permissions and links stay', async (t) => {
  const directory = await directoryOf(t);
  const [path, link] = [join(directory, 'file.yaml'), join(directory, 'link.yaml')];
  await writeFile(path, 'old', { mode: 0o600 });
  await symlink(path, link);
  await writeDurably(link, 'new');
  t.is(await readFile(path, 'utf8'), 'new');
  t.is((await stat(path)).mode & 0o777, 0o600);
  await removeDurably(link);
  t.deepEqual(await readdir(directory), ['file.yaml']);
});

test('a write that fails leaves nothing behind, and says whose fault it is', async (t) => {
  const directory = await directoryOf(t);
  const error = await t.throwsAsync(writeDurably(join(directory, 'missing', 'file.yaml'), 'text'));
  t.like(directoryError(error), { code: 'directory_unavailable', status: 503 });
  const denied = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS', syscall: 'open' });
  t.like(directoryError(denied), { code: 'directory_read_only', status: 403 });
  const ours = new TypeError('ours');
  t.is(directoryError(ours), ours);
});
