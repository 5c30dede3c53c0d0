import type { Context, Script } from 'node:vm';

/** An expression used as much CPU time as it may. */
class RunTooLong extends Error {
  override readonly name = 'RunTooLong';
}

/** What a run has used when it ends by the clock, unless the machine stood still. */
const busyShare = 0.5;
/** The second run with that much work is the last: the work of one may have been the collection of the whole program's garbage. */
const mostBusyTries = 2;
const mostTries = 40;

/**
 * The value of a script in a context, which it may leave changed. The limit is for CPU time, but is measured by the clock: a run that ends without
 * having used half of it is repeated, for the machine stood still, and so is the first that has. Throws RunTooLong, or what the script throws.
 */
export function runTimed(script: Script, context: Context, limitMs: number): unknown {
  for (let tries = 0, busyTries = 0; tries < mostTries; tries += 1) {
    const before = process.threadCpuUsage();
    try {
      return script.runInContext(context, { timeout: limitMs });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = process.threadCpuUsage(before);
      if (user + system >= limitMs * 1_000 * busyShare) busyTries += 1;
      if (busyTries === mostBusyTries) break;
    }
  }
  throw new RunTooLong(`it took more than ${limitMs} ms`);
}
