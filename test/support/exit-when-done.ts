import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { registerCompletionHandler } from 'ava';
import { forceExit } from '../../src/app/process/force-exit.ts';

/** What a socket or a process takes to close where cores are few. */
const graceMs = 10_000;

/**
 * AVA waits without an end for a worker that does not end: all its tests have passed, and something that one of them
 * opened is still there. So a worker says what that is, and ends.
 */
registerCompletionHandler(() => {
  forceExit();
  setTimeout(() => {
    const file = relative(process.cwd(), fileURLToPath(test.meta.file));
    console.error(`${file}: still open after all tests: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit();
  }, graceMs).unref();
});
