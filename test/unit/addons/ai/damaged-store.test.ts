import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { AiUsage } from '../../../../src/addons/ai/ai-usage.ts';
import { FileStore } from '../../../../src/addons/ai/store/file-store.ts';
import { SqliteStore } from '../../../../src/addons/ai/store/sqlite-store.ts';
import { attempt } from '../../../support/ai-records.ts';
import { aloneKeeper } from '../../../support/budget-world.ts';
import { smallDisk } from '../../../support/small-disk.ts';
import { newGraph } from '../../../support/world.ts';

const now = Date.UTC(2026, 5, 15, 12, 34, 56);
const all = { from: 0, to: now + 1, stepMs: 60_000, traces: 10 };

/** A file with some thousand answers. */
function filled(file: string): void {
  const store = new SqliteStore(file);
  store.together(() => {
    for (let at = 0; at < 3_000; at += 1)
      store.addAttempt(
        { ...attempt({ id: `a${at}`, at: now - at * 60_000, service: `default/s${at % 50}` }), cost: 1 },
        '',
      );
  });
  store.close();
}

function opened(t: ExecutionContext, file: string) {
  const asides: string[] = [];
  const unpruned: unknown[] = [];
  const graph = newGraph();
  const usage = new AiUsage({
    store: new FileStore(file, (aside) => asides.push(aside)),
    graph,
    keeper: aloneKeeper(graph),
    onUnpruned: (error) => unpruned.push(error),
    now: () => now + 3 * 86_400_000,
  });
  t.teardown(() => usage.close());
  return { usage, asides, unpruned };
}

function folderOf(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-usage-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

const spoil: Readonly<Record<string, (file: string) => void>> = {
  'another file': (file) => writeFileSync(file, 'no database at all, but long enough to have a header'.repeat(100)),
  'a file cut in half': (file) => truncateSync(file, readFileSync(file).length >> 1),
  'a file with zeros in the middle': (file) => {
    const bytes = readFileSync(file);
    bytes.fill(0, 4096, bytes.length - 4096);
    writeFileSync(file, bytes);
  },
};

for (const [what, damage] of Object.entries(spoil))
  test(`usage begins again where there is ${what}, which is put aside`, async (t) => {
    const folder = folderOf(t);
    const file = join(folder, 'ai-usage.sqlite');
    filled(file);
    damage(file);
    const { usage, asides } = opened(t, file);
    t.deepEqual((await usage.read(all)).usage, []);
    await usage.take({ nodeId: 'n', cluster: 'default/edge' }, []);
    t.deepEqual((await usage.read(all)).usage, []);
    t.is(asides.length, 1);
    t.true(readdirSync(folder).some((name) => asides[0]?.endsWith(name)));
  });

test('a full disk is reported, ends nothing, and is tried again', async (t) => {
  const disk = await smallDisk(t, 6_144);
  if (typeof disk === 'string') {
    t.pass(disk);
    return;
  }
  const file = join(disk.path, 'ai-usage.sqlite');
  filled(file);
  const { usage, asides, unpruned } = opened(t, file);
  t.not((await usage.read(all)).usage.length, 0);
  await disk.fill();
  await usage.prune();
  t.is(unpruned.length, 1);
  t.regex(String(unpruned[0]), /full/);
  await disk.free();
  await usage.prune();
  t.is(unpruned.length, 1);
  t.deepEqual(asides, []);
});
