import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { limitSeconds, runningFiles, watchFiles } from '../../../scripts/watch-test-files.ts';

const begins = (file: string, pid: number, atMs: number) => ({ begins: file, pid, atMs });

test('a file runs from its first line to its last', (t) => {
  const lines = [begins('a.test.ts', 1, 5), begins('b.test.ts', 2, 6), { file: 'a.test.ts', wallSeconds: 1 }];
  t.deepEqual(runningFiles(lines), [{ file: 'b.test.ts', pid: 2, beganMs: 6 }]);
});

test('a file may take minutes, and a long one many times its time', (t) => {
  t.is(limitSeconds('test/envoy/a.test.ts', {}), 1500);
  t.is(limitSeconds('test/envoy/a.test.ts', { 'test/envoy/a.test.ts': 60 }), 1800);
});

for (const [how, script] of [
  ['waits', "console.log('runs'); setInterval(() => {}, 1000)"],
  ['computes', "process.on('SIGTERM', () => {}); console.log('runs'); for (;;);"],
] as const)
  test(`a file that ${how} without an end is ended`, async (t) => {
    t.timeout(600_000);
    const directory = mkdtempSync(join(tmpdir(), 'gatewright-watch-'));
    t.teardown(() => rmSync(directory, { recursive: true }));
    const hanging = spawn(process.execPath, ['-e', script]);
    t.teardown(() => hanging.kill('SIGKILL'));
    await once(hanging.stdout, 'data');
    const report = join(directory, 'times.jsonl');
    writeFileSync(
      report,
      `${JSON.stringify(begins('test/a.test.ts', hanging.pid as number, Date.now() - 1_501_000))}\n`,
    );
    const stop = watchFiles(report, {}, { lookEveryMs: 10, endMs: how === 'waits' ? 240_000 : 500 });
    t.teardown(stop);
    const [, signal] = await once(hanging, 'exit');
    t.is(signal, how === 'waits' ? 'SIGTERM' : 'SIGKILL');
  });
