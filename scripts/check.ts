/**
 * Every check that is not a test: types, lint and format, direction of imports, generated code. All of them run, and
 * the last line says `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { findForbiddenImports } from './check-imports.ts';
import { root } from './paths.mjs';

/** Prints what is wrong and tells whether nothing is. */
type Check = () => boolean;

const checks: Readonly<Record<string, Check>> = {
  types: () => succeeds('node_modules/.bin/tsc', '--project', 'tsconfig.json'),
  'lint and format': () => succeeds('node_modules/.bin/biome', 'check', '--error-on-warnings'),
  'direction of imports': () => {
    const faults = findForbiddenImports(root);
    for (const fault of faults) console.error(fault);
    return faults.length === 0;
  },
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
