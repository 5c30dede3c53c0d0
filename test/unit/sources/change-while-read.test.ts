import { appendFileSync } from 'node:fs';
import test from 'ava';
import { DirectoryHarness, route } from './directory-harness.ts';

/** Longer than what is read at once, so a thread reads it: long enough for changes meanwhile. */
const long = `${'# a comment\n'.repeat(4_000)}${route('shop')}`;

test('a change of a file is seen that is being read for the first time', async (t) => {
  await using harness = await DirectoryHarness.create({ 'a.yaml': long });
  // The thread begins when the text of the file was taken.
  process.once('worker', () => appendFileSync(harness.path('a.yaml'), `---\n${route('late')}`));
  await harness.start();
  await harness.recorder.until('the late route', () => harness.recorder.objects.has('HTTPRoute default/late'));
  t.true(harness.recorder.objects.has('HTTPRoute default/shop'));
});
