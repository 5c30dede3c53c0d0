import { setTimeout as delay } from 'node:timers/promises';
import { pauseMs } from './endpoint-changes.ts';
import type { Subject } from './subject.ts';

/** One route gets another host, so many times. No request goes there. */
export async function changeRoute({ probe }: Subject, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await probe.put('unasked', `unasked-${at}.example.com`);
    await delay(pauseMs);
  }
}
