import { setImmediate as nextTurn } from 'node:timers/promises';
import { sliceMs } from '../../std/steps/index.ts';

/**
 * For work that grows with the world: called between two steps of it, it gives a promise to await whenever the event loop
 * was held for long enough, else undefined. Whatever is looked at may have changed after such a wait.
 */
export function pacer(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < sliceMs) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}
