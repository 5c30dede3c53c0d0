import { appendFile, open, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { DirectorySource, DirectoryStartError } from '../../../src/sources/index.ts';
import { SourceRecorder } from '../../support/source-recorder.ts';
import { DirectoryHarness, route, validator } from './directory-harness.ts';

const hostnamesOf = (harness: DirectoryHarness, id: string): unknown =>
  (harness.object(id).spec as { hostnames?: unknown }).hostnames;

test('objects are reported as an API server would give them, with their namespace first', async (t) => {
  await using harness = await DirectoryHarness.create({
    'a.yaml': route('shop'),
    'deep/er/b.yml': `${route('more')}---\n${route('third')}`,
  });
  await harness.start();
  t.deepEqual(
    harness.recorder.log.filter((line) => !line.startsWith('synced')),
    [
      'added Namespace default',
      'added HTTPRoute default/more',
      'added HTTPRoute default/shop',
      'added HTTPRoute default/third',
    ],
  );
  const shop = harness.object('HTTPRoute default/shop');
  t.like(shop, {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'shop', namespace: 'default', generation: 1 },
    spec: {
      parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'web' }],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/' } }],
          backendRefs: [{ group: '', kind: 'Service', name: 'shop', port: 80, weight: 1 }],
        },
      ],
    },
  });
  t.regex(String(shop.metadata.uid), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  t.is(shop.metadata.creationTimestamp, harness.object('HTTPRoute default/third').metadata.creationTimestamp);
  t.deepEqual(harness.object('Namespace default').metadata.labels, { 'kubernetes.io/metadata.name': 'default' });
  t.deepEqual(harness.problems(), []);
});

test('the same files give the same objects in every process', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': route('shop'), 'b.yaml': route('other') });
  await harness.start();
  const again = new SourceRecorder();
  const stopping = new AbortController();
  const running = new DirectorySource({ path: harness.directory, validator: await validator }).run(
    again,
    stopping.signal,
  );
  await again.until('synced', () => again.syncedKinds.length === harness.recorder.syncedKinds.length);
  stopping.abort();
  await running;
  // Files are read side by side, so their order is not defined.
  const sorted = ({ objects }: SourceRecorder) => [...objects].sort(([a], [b]) => (a < b ? -1 : 1));
  t.deepEqual(sorted(again), sorted(harness.recorder));
});

test('an edit in place is a modification; only a change of the spec is a new generation', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': route('shop') });
  await harness.start();
  const before = harness.object('HTTPRoute default/shop').metadata;
  await harness.write('a.yaml', route('shop', 'new.example'));
  await harness.recorder.until('new host', () => harness.recorder.historyOf('HTTPRoute default/shop').length === 2);
  t.deepEqual(hostnamesOf(harness, 'HTTPRoute default/shop'), ['new.example']);
  t.is(harness.object('HTTPRoute default/shop').metadata.generation, 2);
  await harness.write(
    'a.yaml',
    route('shop', 'new.example').replace('name: shop\n', 'name: shop\n  labels: {team: a}\n'),
  );
  await harness.recorder.until('label', () => harness.recorder.historyOf('HTTPRoute default/shop').length === 3);
  const after = harness.object('HTTPRoute default/shop').metadata;
  t.like(after, { generation: 2, labels: { team: 'a' }, uid: before.uid, creationTimestamp: before.creationTimestamp });
  t.not(after.resourceVersion, before.resourceVersion);
});

test('a file that another takes the place of is a modification', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': route('shop') });
  await harness.start();
  for (const host of ['one.example', 'two.example', 'three.example']) {
    await harness.replace('a.yaml', route('shop', host));
    await harness.recorder.until(host, () => String(hostnamesOf(harness, 'HTTPRoute default/shop')) === host);
  }
  t.deepEqual(harness.recorder.historyOf('HTTPRoute default/shop'), ['added', 'modified', 'modified', 'modified']);
});

test('a bad document does not keep the good ones of its file out', async (t) => {
  await using harness = await DirectoryHarness.create({
    'a.yaml': `${route('one')}---\nkind: [unclosed\n---\n${route('two')}---\n${route('three').replace('hostnames', 'hostname')}`,
  });
  await harness.start();
  t.deepEqual(
    [...harness.recorder.objects.keys()].filter((id) => id.startsWith('HTTPRoute')),
    ['HTTPRoute default/one', 'HTTPRoute default/two'],
  );
  t.is(harness.problems().length, 2);
  t.regex(String(harness.problems()[0]), /^a\.yaml:1[4-6]:\d+: not valid YAML: /);
  t.is(
    harness.problems()[1],
    'a.yaml:38:3: HTTPRoute default/three: spec.hostname: unknown field "hostname"; did you mean "hostnames"?',
  );
});

test('while an object is wrong its last good version stays; a fault is reported once for each content', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': `${route('shop')}---\n${route('other')}` });
  await harness.start();
  await harness.write('a.yaml', `${route('shop', 'wrong host')}---\n${route('other', 'moved.example')}`);
  await harness.recorder.until(
    'other',
    () => String(hostnamesOf(harness, 'HTTPRoute default/other')) === 'moved.example',
  );
  t.deepEqual(hostnamesOf(harness, 'HTTPRoute default/shop'), ['shop.example']);
  t.is(harness.reported.length, 1);
  t.regex(
    String(harness.reported[0]),
    /^a\.yaml:9:7: HTTPRoute default\/shop: spec\.hostnames\[0\]: "wrong host" does not match/,
  );
  await harness.write('a.yaml', `${route('shop', 'right.example')}---\n${route('other', 'moved.example')}`);
  await harness.recorder.until(
    'right',
    () => String(hostnamesOf(harness, 'HTTPRoute default/shop')) === 'right.example',
  );
  t.deepEqual(harness.problems(), []);
  t.is(harness.reported.length, 1);
});

test('what is not YAML for a while takes nothing away', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': `${route('shop')}---\n${route('other')}` });
  await harness.start({ graceMs: 0 });
  // In one step: a file that is empty for a moment would be one that was emptied.
  await harness.replace('a.yaml', `${route('shop')}  more: [`);
  await harness.recorder.until('fault', () => harness.reported.length === 1);
  t.true(harness.recorder.objects.has('HTTPRoute default/other'));
  await harness.replace('a.yaml', route('shop', 'new.example'));
  await harness.recorder.until('removal', () => !harness.recorder.objects.has('HTTPRoute default/other'));
  t.deepEqual(hostnamesOf(harness, 'HTTPRoute default/shop'), ['new.example']);
});

test('a file that is emptied and written piece by piece takes nothing away', async (t) => {
  await using harness = await DirectoryHarness.create({
    'a.yaml': `${route('shop')}---\n${route('other')}`,
    'b.yaml': route('probe'),
  });
  // The writer is slower than anything that this test waits for.
  await harness.start({ graceMs: 600_000 });
  await using file = await open(harness.path('a.yaml'), 'w');
  await harness.seesProbe('b.yaml', 'first.example');
  await file.write(`${route('shop', 'new.example')}---\n`);
  await harness.seesProbe('b.yaml', 'second.example');
  await file.write(route('other', 'new.example'));
  await harness.recorder.until(
    'second half',
    () => String(hostnamesOf(harness, 'HTTPRoute default/other')) === 'new.example',
  );
  t.deepEqual(hostnamesOf(harness, 'HTTPRoute default/shop'), ['new.example']);
  t.false(harness.recorder.log.some((line) => line.startsWith('deleted')));
});

test('what else changes in a file that lacks an object waits with the removal', async (t) => {
  await using harness = await DirectoryHarness.create({
    'a.yaml': `${route('shop')}---\n${route('other')}`,
    'b.yaml': route('probe'),
  });
  await harness.start({ graceMs: 600_000 });
  await harness.replace('a.yaml', `${route('other', 'new.example')}---\n${route('third')}`);
  await harness.seesProbe('b.yaml', 'first.example');
  t.deepEqual(hostnamesOf(harness, 'HTTPRoute default/other'), ['shop.example']);
  t.false(harness.recorder.objects.has('HTTPRoute default/third'));
  await harness.replace('a.yaml', `${route('other', 'new.example')}---\n${route('shop')}`);
  await harness.recorder.until(
    'the change',
    () => String(hostnamesOf(harness, 'HTTPRoute default/other')) === 'new.example',
  );
  t.deepEqual(harness.recorder.historyOf('HTTPRoute default/shop'), ['added']);
});

test('a file that lacks an object and is written again and again is taken as it is in the end', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': `${route('shop')}---\n${route('other')}` });
  await harness.start({ graceMs: 100 });
  // Each content stays for longer than a file has to be left alone, and for less than the grace time.
  let isRemoved = false;
  const writing = (async () => {
    for (let count = 1; !isRemoved; count += 1) {
      await harness.replace('a.yaml', route('other', `n${count}.example`));
      await delay(40);
    }
  })();
  await harness.recorder
    .until('removal', () => !harness.recorder.objects.has('HTTPRoute default/shop'))
    .finally(() => (isRemoved = true));
  await writing;
  t.regex(String(hostnamesOf(harness, 'HTTPRoute default/other')), /^n\d+\.example$/);
});

test('what an emptied file held stays longer than what was taken out of one', async (t) => {
  const [two, one] = [`${route('first')}---\n${route('second')}`, route('first')];
  await using harness = await DirectoryHarness.create({ 'a.yaml': route('shop'), 'b.yaml': two });
  await harness.start({ graceMs: 1000 });
  await harness.write('a.yaml', '');
  await harness.write('b.yaml', one);
  await harness.recorder.until('removal', () => !harness.recorder.objects.has('HTTPRoute default/second'));
  t.true(harness.recorder.objects.has('HTTPRoute default/shop'));
});

test('an object goes with its document, and the implied namespace with its last object', async (t) => {
  await using harness = await DirectoryHarness.create({
    'a.yaml': `${route('shop')}---\n${route('other').replace('name: other', 'name: other\n  namespace: team')}`,
  });
  await harness.start();
  t.true(harness.recorder.objects.has('Namespace team'));
  await harness.write('a.yaml', route('shop'));
  await harness.recorder.until('namespace gone', () => !harness.recorder.objects.has('Namespace team'));
  t.deepEqual(harness.recorder.log.slice(-2), ['deleted HTTPRoute team/other', 'deleted Namespace team']);
  await rm(harness.path('a.yaml'));
  await harness.recorder.until('all gone', () => harness.recorder.objects.size === 0);
  t.deepEqual(harness.recorder.historyOf('HTTPRoute default/shop'), ['added', 'deleted']);
});

test('a declared namespace keeps its labels and outlives its objects', async (t) => {
  const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: default, labels: {team: web}}\n';
  await using harness = await DirectoryHarness.create({ 'a.yaml': route('shop') });
  await harness.start();
  await harness.write('ns.yaml', namespace);
  await harness.recorder.until('labels', () => harness.object('Namespace default').metadata.labels?.team === 'web');
  t.is(harness.object('Namespace default').metadata.labels?.['kubernetes.io/metadata.name'], 'default');
  await rm(harness.path('a.yaml'));
  await harness.recorder.until('route gone', () => !harness.recorder.objects.has('HTTPRoute default/shop'));
  t.deepEqual(harness.recorder.historyOf('Namespace default'), ['added', 'modified']);
});

test('directories may come, move and go', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': route('shop') });
  await harness.start();
  await harness.write('new/deep/b.yaml', route('deep'));
  await harness.recorder.until('deep', () => harness.recorder.objects.has('HTTPRoute default/deep'));
  await rename(harness.path('new'), harness.path('moved'));
  await harness.write('moved/deep/b.yaml', route('deep', 'moved.example'));
  await harness.recorder.until(
    'moved',
    () => String(hostnamesOf(harness, 'HTTPRoute default/deep')) === 'moved.example',
  );
  await rm(harness.path('moved'), { recursive: true });
  await harness.recorder.until('gone', () => !harness.recorder.objects.has('HTTPRoute default/deep'));
  t.true(harness.recorder.objects.has('HTTPRoute default/shop'));
});

test('a mounted ConfigMap is taken over in one step when its link is swapped', async (t) => {
  await using harness = await DirectoryHarness.create({
    '..v1/a.yaml': route('shop', 'one.example'),
    '..v1/b.yaml': route('old'),
  });
  await symlink('..v1', harness.path('..data'));
  await symlink('..data/a.yaml', harness.path('a.yaml'));
  await symlink('..data/b.yaml', harness.path('b.yaml'));
  await harness.start();
  t.is(harness.recorder.objects.size, 3);
  await harness.write('..v2/a.yaml', route('shop', 'two.example'));
  await symlink('..v2', harness.path('..data_tmp'));
  await rename(harness.path('..data_tmp'), harness.path('..data'));
  await rm(harness.path('b.yaml'));
  await rm(harness.path('..v1'), { recursive: true });
  await harness.recorder.until(
    'second version',
    () => String(hostnamesOf(harness, 'HTTPRoute default/shop')) === 'two.example',
  );
  await harness.recorder.until('b is gone', () => !harness.recorder.objects.has('HTTPRoute default/old'));
  t.deepEqual(harness.recorder.historyOf('HTTPRoute default/shop'), ['added', 'modified']);
});

test('a root that is a link may be pointed to another directory', async (t) => {
  await using harness = await DirectoryHarness.create({
    'r1/a.yaml': route('shop', 'one.example'),
    'r2/a.yaml': route('shop', 'two.example'),
  });
  await symlink('r1', harness.path('current'));
  await harness.start({ path: harness.path('current') });
  await symlink('r2', harness.path('next'));
  await rename(harness.path('next'), harness.path('current'));
  await harness.recorder.until(
    'second',
    () => String(hostnamesOf(harness, 'HTTPRoute default/shop')) === 'two.example',
  );
  await writeFile(harness.path('r2/a.yaml'), route('shop', 'three.example'));
  await harness.recorder.until(
    'third',
    () => String(hostnamesOf(harness, 'HTTPRoute default/shop')) === 'three.example',
  );
  t.deepEqual(harness.recorder.historyOf('HTTPRoute default/shop'), ['added', 'modified', 'modified']);
});

test('a root that is away for a while takes nothing with it', async (t) => {
  await using harness = await DirectoryHarness.create({ 'conf/a.yaml': route('shop'), 'conf/b.yaml': route('other') });
  await harness.start({ path: harness.path('conf'), graceMs: 0 });
  await rename(harness.path('conf'), harness.path('away'));
  await harness.recorder.until('fault', () => harness.reported.length === 1);
  t.regex(String(harness.reported[0]), /conf:1:1: cannot be read, the last state is kept: ENOENT/);
  // In one step: a root that is there and empty for a moment would be one whose files are gone.
  await harness.write('next/a.yaml', route('shop', 'back.example'));
  await rename(harness.path('next'), harness.path('conf'));
  await harness.recorder.until('back', () => String(hostnamesOf(harness, 'HTTPRoute default/shop')) === 'back.example');
  await harness.recorder.until('other is gone', () => !harness.recorder.objects.has('HTTPRoute default/other'));
  t.deepEqual(harness.problems(), []);
});

test('of two files with the same object the first by path counts, and the other takes over', async (t) => {
  await using harness = await DirectoryHarness.create({
    'a.yaml': route('shop', 'a.example'),
    'b.yaml': `# second\n${route('shop', 'b.example')}`,
  });
  await harness.start();
  t.deepEqual(hostnamesOf(harness, 'HTTPRoute default/shop'), ['a.example']);
  t.deepEqual(harness.problems(), [
    'b.yaml:2:1: HTTPRoute default/shop: is also at a.yaml:1:1, which counts because its path comes first',
  ]);
  await rm(harness.path('a.yaml'));
  await harness.recorder.until('second', () => String(hostnamesOf(harness, 'HTTPRoute default/shop')) === 'b.example');
  t.deepEqual(harness.recorder.historyOf('HTTPRoute default/shop'), ['added', 'modified']);
  t.deepEqual(harness.problems(), []);
});

test('the same object twice in one file is a fault of the second', async (t) => {
  await using harness = await DirectoryHarness.create({
    'a.yaml': `${route('shop', 'a.example')}---\n${route('shop', 'b.example')}`,
  });
  await harness.start();
  t.deepEqual(hostnamesOf(harness, 'HTTPRoute default/shop'), ['a.example']);
  t.regex(
    String(harness.problems()[0]),
    /^a\.yaml:15:1: HTTPRoute default\/shop: is in this file twice; the one at .*a\.yaml:1:1 counts$/,
  );
});

test('an object that moves from one file to another is not deleted on the way', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': route('shop'), 'b.yaml': route('other') });
  await harness.start();
  await appendFile(harness.path('b.yaml'), `---\n${route('shop', 'moved.example')}`);
  await rm(harness.path('a.yaml'));
  await harness.recorder.until(
    'moved',
    () => String(hostnamesOf(harness, 'HTTPRoute default/shop')) === 'moved.example',
  );
  t.deepEqual(harness.recorder.historyOf('HTTPRoute default/shop'), ['added', 'modified']);
});

test('kinds of others are ignored silently, mistaken kinds are not', async (t) => {
  const of = (apiVersion: string, kind: string) => `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x}\n`;
  await using harness = await DirectoryHarness.create({
    'a.yaml': [of('apps/v1', 'Deployment'), of('gateway.networking.k8s.io/v1', 'HTTPRuote'), 'hello: world\n'].join(
      '---\n',
    ),
  });
  await harness.start();
  t.deepEqual(harness.problems(), [
    'a.yaml:6:1: unknown kind HTTPRuote of gateway.networking.k8s.io is ignored; did you mean "HTTPRoute"?',
    'a.yaml:9:1: apiVersion is missing: not a Kubernetes object',
  ]);
  t.is(harness.recorder.objects.size, 0);
});

test('one file may be the whole source', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': route('shop'), 'b.yaml': route('other') });
  await harness.start({ path: harness.path('a.yaml') });
  t.false(harness.recorder.objects.has('HTTPRoute default/other'));
  await harness.replace('a.yaml', route('shop', 'new.example'));
  await harness.recorder.until('new', () => String(hostnamesOf(harness, 'HTTPRoute default/shop')) === 'new.example');
  t.deepEqual(harness.recorder.historyOf('HTTPRoute default/shop'), ['added', 'modified']);
});

test('a path that does not exist at the start is an error that names it', async (t) => {
  await using harness = await DirectoryHarness.create();
  const error = await t.throwsAsync(harness.start({ path: harness.path('none') }), { instanceOf: DirectoryStartError });
  t.regex(String(error?.message), /^cannot read .*\/none: ENOENT/);
});
