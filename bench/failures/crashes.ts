import { setTimeout as delay } from 'node:timers/promises';
import type { Tally } from '../support/tally.ts';
import { type Scene, steadyLoad } from './scene.ts';

/** What it sends later than the new route may do harm too. */
const afterMs = 1000;

/** The control plane is killed and starts again, so many times; each time is over a second after a new route answers. */
export async function crashes(scene: Scene, count: number): Promise<Tally> {
  using load = await steadyLoad(scene);
  for (let at = 0; at < count; at += 1) {
    await scene.subject.crash();
    await scene.subject.probe.applyAndAsk('crash', `crash-${at}.example.com`);
    await delay(afterMs);
  }
  return await load.stop();
}
