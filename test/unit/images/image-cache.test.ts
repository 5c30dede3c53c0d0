import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ImageCache } from '../../../src/images/index.ts';

const bytes = Buffer.from('a module');
const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

function startCache(t: ExecutionContext, directory = mkdtempSync(join(tmpdir(), 'gatewright-images-'))) {
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const failures: unknown[] = [];
  const cache = new ImageCache({ directory: join(directory, 'modules'), onFailed: (error) => failures.push(error) });
  return { cache, failures, directory: join(directory, 'modules') };
}

test('an image is found again by its key alone, for the owner’s eyes only', async (t) => {
  const { cache, failures, directory } = startCache(t);
  t.is(await cache.of('one').find(digest), undefined);
  await cache.of('one').keep(digest, bytes);
  t.deepEqual(await cache.of('one').find(digest), bytes);
  t.is(await cache.of('two').find(digest), undefined);
  const [folder = ''] = readdirSync(directory);
  t.is(statSync(join(directory, folder)).mode & 0o777, 0o700);
  const [file = ''] = readdirSync(join(directory, folder));
  t.is(statSync(join(directory, folder, file)).mode & 0o777, 0o600);
  t.deepEqual(failures, []);
});

test('what nothing names any more goes, and what is not of the cache stays', async (t) => {
  const { cache, failures, directory } = startCache(t);
  await cache.keepOnly([]);
  for (const key of ['one', 'two', 'three']) await cache.of(key).keep(digest, bytes);
  writeFileSync(join(directory, 'other'), '');
  await cache.drop('one');
  await cache.keepOnly(['two']);
  t.deepEqual(await cache.of('two').find(digest), bytes);
  for (const key of ['one', 'three']) t.is(await cache.of(key).find(digest), undefined);
  t.is(readFileSync(join(directory, 'other'), 'utf8'), '');
  t.is(readdirSync(directory).length, 2);
  t.deepEqual(failures, []);
});

test('a directory that cannot be used is said and harms nothing', async (t) => {
  const { cache, failures, directory } = startCache(t);
  writeFileSync(directory, 'a file');
  await cache.of('one').keep(digest, bytes);
  t.is(await cache.of('one').find(digest), undefined);
  await cache.keepOnly([]);
  t.true(failures.length >= 2);
});
