import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { programVariable } from '../../scripts/test-program.ts';

/** The program that scripts/test.ts bundled from these sources; none where single files run. */
const program = process.env[programVariable];

/**
 * The bundle has the code of a thread in one file: from sources each start of a thread loads a hundred modules, which takes three times the CPU time.
 */
function bundled(file: string | URL): string | URL {
  const path = file instanceof URL ? fileURLToPath(file) : file;
  const inBundle = new URL(`lib/${basename(path, '.ts')}.js`, pathToFileURL(program ?? ''));
  return path.endsWith('-thread.ts') && existsSync(inBundle) ? inBundle : file;
}

if (program !== undefined) {
  threads.Worker = class extends threads.Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(bundled(file), options);
    }
  };
  syncBuiltinESMExports();
}
