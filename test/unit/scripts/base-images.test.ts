import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { baseImages, pinned, unpinned } from '../../../scripts/base-images.ts';
import { root } from '../../../scripts/paths.mjs';

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const script = join(root, 'scripts/base-images.ts');
const digest = `sha256:${'a'.repeat(64)}`;
const versions = readFileSync(join(root, 'scripts/versions.env'), 'utf8');

test('every stage of the Dockerfile is made from an image that can be pinned, Envoy of our version', (t) => {
  const images = baseImages(dockerfile);
  t.deepEqual(images.map(({ name }) => name).sort(), ['ENVOY_IMAGE', 'NODE_IMAGE']);
  const version = /^ENVOY=(.+)$/m.exec(versions)?.[1];
  t.true(images.some(({ tagged }) => tagged === `envoyproxy/envoy:distroless-v${version}`));
});

test('an image that is written into a FROM is rejected, for nothing would pin it', (t) => {
  t.throws(() => baseImages(`${dockerfile}\nFROM alpine:3`), { message: /FROM alpine:3: declare it/ });
});

test('a tag, a short digest or another word is no pin; a digest is', (t) => {
  const image = (text: string) => unpinned(baseImages(`ARG A_IMAGE=a:1${text}\nFROM \${A_IMAGE} AS a\n`));
  t.regex(image('')[0] ?? '', /has no digest/);
  t.regex(image('@sha256:abc')[0] ?? '', /which is none/);
  t.regex(image('@latest')[0] ?? '', /which is none/);
  t.deepEqual(image(`@${digest}`), []);
  t.throws(() => pinned(dockerfile, () => 'latest'), { message: /is no digest/ });
});

test('a release is rejected until the digests are written, and they are what the registry says', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-pin-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'Dockerfile');
  writeFileSync(path, dockerfile.replaceAll(/^(ARG \w+_IMAGE=[^@\s]+)@\S+$/gm, '$1'));
  const check = () => spawnSync(process.execPath, [script, 'check', path], { encoding: 'utf8' });
  const rejected = check();
  t.is(rejected.status, 1);
  t.regex(rejected.stderr, /ENVOY_IMAGE=.* has no digest; run: node scripts\/base-images\.ts pin/);
  // A client of registries, as far as it is asked here.
  const crane = join(directory, 'crane');
  writeFileSync(crane, `#!/bin/sh\n[ "$1" = digest ] && echo ${digest}\n`);
  chmodSync(crane, 0o755);
  execFileSync(process.execPath, [script, 'pin', path], { env: { PATH: `${directory}:${process.env.PATH}` } });
  t.is(check().status, 0);
  t.true(readFileSync(path, 'utf8').includes(`envoyproxy/envoy:distroless-v1.40.0@${digest}`));
});
