/** A thread that says when each of its ticks is due, in milliseconds of `process.hrtime`: Node's own timers only know whole milliseconds. */
import { parentPort, workerData } from 'node:worker_threads';

const { count, perSecond } = workerData as { readonly count: number; readonly perSecond: number };
const nothing = new Int32Array(new SharedArrayBuffer(4));
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

const first = now() + 5;
for (let tick = 0; tick < count; tick += 1) {
  const due = first + (tick * 1000) / perSecond;
  Atomics.wait(nothing, 0, 0, Math.max(0, due - now()));
  parentPort?.postMessage(due);
}
