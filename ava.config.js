import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { repetitionsVariable } from './scripts/heavy-tests.ts';
import { groupsVariable, processTimes } from './scripts/test-groups.ts';
import { knownTimes } from './scripts/test-times.ts';

/** What scripts/test.ts runs together. */
const groupList = process.env[groupsVariable];
const groups = groupList === undefined ? [] : JSON.parse(readFileSync(groupList, 'utf8'));
const times = processTimes(groups, knownTimes(process.env[repetitionsVariable] === 'few'));
/** @param {string} file */
const secondsOf = (file) => times[relative(import.meta.dirname, file)] ?? 0;

export default {
  files: ['test/**/*.test.ts', 'test/together/*.ts'],
  extensions: ['ts'],
  require: [
    './test/support/no-source-maps.ts',
    './test/support/bundled-threads.ts',
    './test/support/exit-when-done.ts',
    './test/support/file-times.ts',
  ],
  // A long file that began last would run alone at the end.
  sortTestFiles: (/** @type {string} */ a, /** @type {string} */ b) =>
    secondsOf(b) - secondsOf(a) || a.localeCompare(b),
  // A thread always cleans up when it ends, which may take for ever: see src/app/process/force-exit.ts.
  workerThreads: false,
  // Much of what tests make lives for a moment: with more room for it, what is to be collected costs 7 % less of all CPU time.
  nodeArguments: ['--max-semi-space-size=32'],
  // Of commands that ask a control plane: 10 s would be over on a machine that is busy enough.
  environmentVariables: { GATEWRIGHT_TIMEOUT: '4m' },
  // A real Envoy, API server or first build of a cache may take its time on a busy machine. scripts/watch-test-files.ts names a file that runs for longer.
  timeout: '9m',
};
