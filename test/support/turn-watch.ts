import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a program under test (`--import`): writes down how long its event loop was held, each time it was for more than
 * `leastMs`, in milliseconds of the processor that its main thread took: a busy machine makes no turn longer. To the file of TURN_WATCH.
 */
const file = process.env.TURN_WATCH ?? '';
const leastMs = 40;
const tickMs = 5;

const usedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let before = usedMs();

function tick(): void {
  const now = usedMs();
  if (now - before > leastMs) appendFileSync(file, `${Math.round(now - before)}\n`);
  before = usedMs();
}

// Threads of the program are preloaded with it too, and may take what they take.
if (isMainThread) setInterval(tick, tickMs).unref();
