// One line on stderr for each thing that takes time; nothing when there is nothing to do.

/** @param {string} text */
export const say = (text) => process.stderr.write(`setup: ${text}\n`);

/** An error that the user can fix; printed without a stack. */
export class SetupError extends Error {}

/**
 * Runs a step that is known to take time, saying when it begins and how long it took.
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} step
 * @returns {Promise<T>}
 */
export async function timed(what, step) {
  const began = performance.now();
  say(`${what} …`);
  const result = await step();
  say(`${what}: done in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}
