import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Work that grows with the world, cut where others may have a turn: a generator that yields only where a reader finds nothing half done.
 * The caller that takes the steps decides how long one turn of the event loop is.
 */
export type Steps<T> = Generator<undefined, T>;

/** How long such work may go on before others get a turn, in milliseconds. */
export const sliceMs = 8;

/** Takes steps for `sliceMs`, or to the end, whichever is first. */
export function takeSlice<T>(steps: Steps<T>): IteratorResult<undefined, T> {
  const until = performance.now() + sliceMs;
  for (;;) {
    const step = steps.next();
    if (step.done || performance.now() >= until) return step;
  }
}

/** Takes all steps at once: for small worlds, and for callers that block no one. */
export function toEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Takes all steps, with turns for others between them; resolves with what they come to. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = takeSlice(steps);
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** One item after the other, each a step. */
export function* each<T>(items: Iterable<T>, work: (item: T) => void): Steps<void> {
  for (const item of items) {
    work(item);
    yield;
  }
}
