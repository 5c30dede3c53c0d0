import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ava from 'ava';
import { root } from '../../../scripts/paths.mjs';
import { groupsVariable } from '../../../scripts/test-groups.ts';
import { declareAll } from './declarations.ts';
import { endProcess, markShared } from './process-end.ts';

/** What test files of a shared process get for `ava`: it is in this file, once for each of them. */
const sharedTest = new URL('shared-test.ts', import.meta.url);

/**
 * Loads the test files of a group into this process, one after the other, as parts of the one file that AVA knows.
 * Each declares its tests as it would alone; shared-test.ts says what that means here.
 *
 * @param number from 1, of the groups that scripts/test.ts has made
 * @throws what the first file that cannot be loaded throws, or that a file declares no test; no test runs then
 */
export async function loadGroup(number: number): Promise<void> {
  const files = filesOf(number).map((file) => pathToFileURL(join(root, file)).href);
  const isShared = new Set(files);
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL } = context;
      if (specifier !== 'ava' || parentURL === undefined || !isShared.has(parentURL))
        return nextResolve(specifier, context);
      const url = new URL(sharedTest);
      url.searchParams.set('file', parentURL);
      return { url: url.href, format: 'module-typescript', shortCircuit: true };
    },
  });
  markShared();
  for (const file of files) await import(file);
  declareAll(files);
  ava.after.always('end what the files shared', endProcess);
}

function filesOf(number: number): readonly string[] {
  const path = process.env[groupsVariable];
  if (path === undefined) throw new Error(`${groupsVariable} is not set: scripts/test.ts runs groups`);
  const groups = JSON.parse(readFileSync(path, 'utf8')) as readonly (readonly string[])[];
  const files = groups[number - 1];
  if (files === undefined) throw new Error(`there is no group ${number} among ${groups.length}`);
  return files;
}
