import { rm } from 'node:fs/promises';
import test from 'ava';
import { kinds } from '../../../src/gateway-api/index.ts';
import { DirectoryHarness, route } from './directory-harness.ts';

const shop = { namespace: 'default', name: 'shop' };

test('what was written is reported when absorb resolves, without waiting for writers or for a come-back', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': route('shop') });
  // Waiting is out of the question: each would outlast the test.
  await harness.start({ graceMs: 3_600_000 });
  const live = harness.live();
  t.deepEqual(live.filesOf(kinds.HTTPRoute, shop), [harness.path('a.yaml')]);

  await harness.replace('a.yaml', route('shop', 'new.example'));
  await live.absorb([harness.path('a.yaml')]);
  t.like(live.find(kinds.HTTPRoute, shop), { spec: { hostnames: ['new.example'] }, metadata: { generation: 2 } });

  await harness.replace('b.yaml', route('second'));
  await live.absorb([harness.path('b.yaml')]);
  t.deepEqual(
    live
      .list(kinds.HTTPRoute)
      .map(({ metadata }) => metadata.name)
      .sort(),
    ['second', 'shop'],
  );
  t.deepEqual(await live.files(), [harness.path('a.yaml'), harness.path('b.yaml')]);

  await rm(harness.path('b.yaml'));
  await live.absorb([harness.path('b.yaml')]);
  t.is(live.find(kinds.HTTPRoute, { namespace: 'default', name: 'second' }), undefined);
});

test('a preview has what the object will have', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': route('shop') });
  await harness.start();
  const live = harness.live();
  const before = harness.object('HTTPRoute default/shop');
  t.deepEqual(live.preview(kinds.HTTPRoute, before, new Date(0)), before);
  const changed = { ...before, spec: { ...(before.spec as object), hostnames: ['new.example'] } };
  const preview = live.preview(kinds.HTTPRoute, changed, new Date(0));
  t.like(preview.metadata, {
    uid: before.metadata.uid,
    generation: 2,
    creationTimestamp: before.metadata.creationTimestamp,
  });
  await harness.replace('a.yaml', route('shop', 'new.example'));
  await live.absorb([harness.path('a.yaml')]);
  t.deepEqual(live.find(kinds.HTTPRoute, shop), preview);
});
