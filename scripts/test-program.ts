/**
 * The program that tests start as a process of its own: a bundle, of which each start takes 0.8 s of CPU time less than of the sources. To make it takes 4 s,
 * so a run of single files starts the sources.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { hashOf, isCurrent, markCurrent } from './generate/inputs.ts';
import { root, versions } from './paths.mjs';
import { locked, publish } from './setup/publish.mjs';

/** The environment variable with the path of the bundle's program. */
export const programVariable = 'GATEWRIGHT_TEST_PROGRAM';

/** What the bundle is made from. */
const folders = ['bin', 'build/page', 'crds', 'docs', 'examples', 'scripts/bundle', 'src'];
const files = [
  'LICENSE',
  'README.md',
  'package.json',
  'package-lock.json',
  'scripts/bundle.ts',
  'scripts/test-program.ts',
];

const folder = join(root, 'build/test-program');
const metafileName = 'metafile.json';

/** What the bundle consists of, which is made before if need be. */
export async function testProgramMetafile(): Promise<Metafile> {
  await ensureTestProgram();
  return JSON.parse(readFileSync(join(folder, metafileName), 'utf8')) as Metafile;
}

/** Makes the bundle, if its sources have changed since; gives the path of its program. */
export async function ensureTestProgram(): Promise<string> {
  const hash = hashOf(
    folders.map((name) => join(root, name)),
    [versions.GATEWAY_API, ...files.map((name) => readFileSync(join(root, name), 'utf8'))],
  );
  if (!isCurrent(folder, hash))
    await locked(`${folder}.lock`, async () => {
      if (isCurrent(folder, hash)) return;
      await publish(folder, async (temporary) => {
        // Loaded only here: tests import this file for the variable's name.
        const { bundle } = await import('./bundle.ts');
        const metafile = await bundle(temporary, { minify: false });
        writeFileSync(join(temporary, metafileName), JSON.stringify(metafile));
        markCurrent(temporary, hash);
      });
    });
  return join(folder, 'bin/gatewright.js');
}
