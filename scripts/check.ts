/**
 * Every check that is not a test: types, lint and format, direction and circles of imports, parsing of keys, unused and duplicate code, words, generated code.
 * All of them run, and the last line says `N passed, N failed`. `--update` lowers the counts of ratchet.json to what is found.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { checkCycles } from './check-cycles.ts';
import { checkDuplicates } from './check-duplicates.ts';
import { findForbiddenImports } from './check-imports.ts';
import { checkKeys } from './check-keys.ts';
import { checkUnused } from './check-unused.ts';
import { checkVocabulary } from './check-vocabulary.ts';
import { root } from './paths.mjs';
import { holds, isFree } from './ratchet.ts';

/** Prints what is wrong and returns whether nothing is. */
type Check = () => boolean;

const update = process.argv.includes('--update');

const checks: Readonly<Record<string, Check>> = {
  types: () =>
    ['tsconfig.json', 'page/tsconfig.json'].every((file) => succeeds('node_modules/.bin/tsc', '--project', file)),
  'lint and format': () => succeeds('node_modules/.bin/biome', 'check', '--error-on-warnings'),
  'direction of imports': () => {
    const faults = findForbiddenImports(root);
    for (const fault of faults) console.error(fault);
    return faults.length === 0;
  },
  'circles of imports': () => isFree(checkCycles(root)),
  'code written twice': () => isFree(checkDuplicates(root)),
  'keys parsed in one place': () => isFree(checkKeys(root)),
  'unused code': () => isFree(checkUnused(root)),
  vocabulary: () => holds('words', checkVocabulary(root), update),
  'generated code': () => succeeds(process.execPath, 'scripts/generate/main.ts', '--check'),
};

function succeeds(command: string, ...parameters: string[]): boolean {
  const { status, error } = spawnSync(resolve(root, command), parameters, { cwd: root, stdio: 'inherit' });
  if (error) console.error(error.message);
  return status === 0;
}

const failed = Object.entries(checks).filter(([name, check]) => {
  const passed = check();
  console.log(`${passed ? 'ok' : 'not ok'} - ${name}`);
  return !passed;
});
console.log(`${Object.keys(checks).length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
