import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may go on before others get a turn, in milliseconds. */
const budgetMs = 8;

/**
 * For work that grows with the world: called between two steps of it, it gives a promise to await whenever the event loop
 * was held for long enough, else undefined. Whatever is looked at may have changed after such a wait.
 */
export function pacer(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < budgetMs) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}

/** Takes all steps of such work, with turns for others between them; resolves with what it comes to. */
export async function paced<T>(steps: Generator<void, T>): Promise<T> {
  const pause = pacer();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const turn = pause();
    if (turn) await turn;
  }
}
