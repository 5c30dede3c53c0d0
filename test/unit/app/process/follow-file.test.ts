import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { followFile } from '../../../../src/app/process/index.ts';

test('a file that cannot be looked at for a while ends nothing, and is looked at again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-followed-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'config');
  let wake = () => {};
  const next = () => new Promise<void>((resolve) => (wake = resolve));
  symlinkSync('config', file);
  const [first, stop] = [next(), followFile(file, () => wake(), 5)];
  t.teardown(stop);
  // The timer alone keeps no process alive.
  const alive = setInterval(() => {}, 1_000);
  t.teardown(() => clearInterval(alive));
  await first;
  const second = next();
  rmSync(file);
  writeFileSync(file, 'log: {level: debug}');
  await second;
  t.pass();
});
