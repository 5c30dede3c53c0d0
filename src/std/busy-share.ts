import { performance } from 'node:perf_hooks';

/** A function that returns the share of the time since its last call in which the event loop was busy, from 0 to 1. */
export function busyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
