import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Seconds of the long test files; `npm test -- --times` rewrites it. @type {Readonly<Record<string, number>>} */
const times = JSON.parse(readFileSync(new URL('scripts/test-times.json', import.meta.url), 'utf8'));
/** What shares a process takes longer than any file. */
const groupSeconds = 1000;
/** @param {string} file */
const secondsOf = (file) => {
  const path = relative(import.meta.dirname, file);
  return path.startsWith('test/together/') ? groupSeconds : (times[path] ?? 0);
};

export default {
  files: ['test/**/*.test.ts', 'test/together/*.ts'],
  extensions: ['ts'],
  require: ['./test/support/no-source-maps.ts', './test/support/exit-when-done.ts', './test/support/file-times.ts'],
  // A long file that began last would run alone at the end.
  sortTestFiles: (/** @type {string} */ a, /** @type {string} */ b) =>
    secondsOf(b) - secondsOf(a) || a.localeCompare(b),
  // A thread always cleans up when it ends, which may take for ever: see src/app/process/force-exit.ts.
  workerThreads: false,
  // A real Envoy, API server or first build of a cache may take its time on a busy machine.
  timeout: '2m',
};
