import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { locked, publish } from '../../../scripts/setup/publish.mjs';

function temporaryFolder(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-publish-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a published folder replaces the old one as a whole', async (t) => {
  const parent = temporaryFolder(t);
  const folder = join(parent, 'it');
  await publish(folder, async (work) => writeFileSync(join(work, 'old'), '1'));
  await publish(folder, async (work) => {
    writeFileSync(join(work, 'new'), '2');
    t.deepEqual(readdirSync(folder), ['old']);
  });
  t.deepEqual(readdirSync(folder), ['new']);
  t.deepEqual(readdirSync(parent), ['it']);
});

test('a failed step leaves the old folder and nothing else', async (t) => {
  const parent = temporaryFolder(t);
  const folder = join(parent, 'it');
  await publish(folder, async (work) => writeFileSync(join(work, 'old'), '1'));
  await t.throwsAsync(
    publish(folder, async (work) => {
      writeFileSync(join(work, 'half'), '');
      throw new Error('broken');
    }),
    { message: 'broken' },
  );
  t.deepEqual(readdirSync(parent), ['it']);
  t.is(readFileSync(join(folder, 'old'), 'utf8'), '1');
});

test('one at a time under a lock', async (t) => {
  const file = join(temporaryFolder(t), 'lock');
  const events: string[] = [];
  const step = (name: string) => async () => {
    events.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    events.push(`${name} ends`);
  };
  await Promise.all([locked(file, step('a')), locked(file, step('b'))]);
  t.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends']);
  t.false(existsSync(file));
});

test('a lock is released when its step fails', async (t) => {
  const file = join(temporaryFolder(t), 'lock');
  await t.throwsAsync(
    locked(file, async () => {
      throw new Error('broken');
    }),
  );
  t.is(await locked(file, async () => 'done'), 'done');
});

test('the lock of a process that died is taken over', async (t) => {
  const file = join(temporaryFolder(t), 'lock');
  const process = spawn('true');
  await once(process, 'close');
  writeFileSync(file, String(process.pid));
  t.is(await locked(file, async () => 'done'), 'done');
});
