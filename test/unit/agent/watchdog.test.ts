import test from 'ava';
import { Watchdog } from '../../../src/agent/envoy/watchdog.ts';
import { logLines } from '../../support/log-lines.ts';

test('an Envoy that stays for a moment after it was killed counts as one', async (t) => {
  const { logger } = logLines();
  const over = new AbortController();
  const kills: string[] = [];
  let looks = 0;
  const watchdog = new Watchdog({
    process: { pid: 7, kill: (reason: string) => void kills.push(reason) },
    admin: { serverInfo: () => Promise.reject(new Error('no answer')) },
    logger,
    clock: {
      now: () => new Date(looks * 1000),
      delay: async () => {
        looks += 1;
        if (looks === 5) over.abort();
      },
    },
    intervalMs: 1000,
    patienceMs: 2000,
  });
  await watchdog.run(over.signal);
  t.is(watchdog.hangs, 1);
  t.deepEqual(kills, ['it did not answer for 2 s and was killed']);
});
