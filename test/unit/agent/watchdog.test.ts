import test from 'ava';
import { Watchdog } from '../../../src/agent/envoy/watchdog.ts';
import { logLines } from '../../support/log-lines.ts';

/** Looks once a second at an Envoy that never answers; gives why and in which second it was killed. */
async function killedAfter(
  seconds: number,
  mainThread: (second: number) => { readonly cpuMs: number; readonly isRunnable: boolean },
) {
  const { logger } = logLines();
  const over = new AbortController();
  const kills: { readonly second: number; readonly reason: string }[] = [];
  let second = 0;
  const watchdog = new Watchdog({
    process: { pid: 7, kill: (reason: string) => void kills.push({ second, reason }) },
    admin: { serverInfo: () => Promise.reject(new Error('no answer')) },
    logger,
    clock: {
      now: () => new Date(second * 1000),
      delay: async () => {
        second += 1;
        if (second === seconds) over.abort();
      },
    },
    intervalMs: 1000,
    patienceMs: 2000,
    longestMs: 20_000,
    mainThread: async () => mainThread(second),
  });
  await watchdog.run(over.signal);
  return { kills, hangs: watchdog.hangs };
}

test('an Envoy that stays for a moment after it was killed counts as one', async (t) => {
  const { kills, hangs } = await killedAfter(5, () => ({ cpuMs: 0, isRunnable: false }));
  t.is(hangs, 1);
  t.deepEqual(kills, [{ second: 2, reason: 'it did not answer for 2 s and was killed' }]);
});

test('an Envoy whose main thread works, or waits for a processor, is not killed until it ceases to', async (t) => {
  const working = await killedAfter(15, (second) => ({ cpuMs: Math.min(second, 6) * 700, isRunnable: false }));
  t.deepEqual(working.kills, [{ second: 8, reason: 'it did not answer for 8 s and was killed' }]);
  const waiting = await killedAfter(15, (second) => ({ cpuMs: 10, isRunnable: second < 10 }));
  t.deepEqual(
    waiting.kills.map(({ second }) => second),
    [11],
  );
});

test('an Envoy whose main thread works without an end is killed', async (t) => {
  const { kills } = await killedAfter(30, (second) => ({ cpuMs: second * 1000, isRunnable: true }));
  t.deepEqual(kills, [{ second: 20, reason: 'it did not answer for 20 s and was killed' }]);
});
