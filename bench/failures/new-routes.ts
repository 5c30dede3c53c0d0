import { type Tally, total } from '../support/tally.ts';
import type { Scene } from './scene.ts';
import { steadyLoad } from './scene.ts';

/** Routes that are waited for at once. */
const atOnce = 8;

/**
 * New routes that stay, on a host each. Answers of their hosts before the 200 count too, unless they are the 404 of an unknown host. Ends
 * when the scene's time is over, and returns how many there are then.
 */
export async function newRoutes(scene: Scene, count: number): Promise<Tally> {
  using load = await steadyLoad(scene);
  const end = performance.now() + scene.minutes * 60_000;
  const numbers = Array.from({ length: count }, (_, at) => at).values();
  let [written, asked, surprises] = [0, 0, 0];
  const write = async () => {
    for (const at of numbers) {
      if (performance.now() > end) return;
      const seen = await scene.subject.probe.applyAndAsk(`load-${at}`, `load-${at}.example.com`);
      written += 1;
      asked += seen.asked;
      surprises += seen.surprises;
    }
  };
  // One that gives up waits for the others: none may go on when the turn is over.
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, write));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  const kinds: Record<string, number> = surprises > 0 ? { 'a new host, neither 404 nor 200': surprises } : {};
  const tally = total([await load.stop(), { requests: asked, failed: surprises, kinds }]);
  if (written === count) return tally;
  return { ...tally, unfinished: `${written.toLocaleString('en')} of the routes within ${scene.minutes} min` };
}
