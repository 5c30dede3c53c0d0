import { setTimeout as delay } from 'node:timers/promises';
import { difference, type Meter, meter } from './meter.ts';
import type { Subject } from './subject.ts';

/** What idling costs. */
export interface Idle {
  readonly cpuPerMs: number;
  readonly proxyCpuPerMs: number;
  readonly bytesPerMs: number;
}

export async function idling(subject: Subject, ms: number): Promise<Idle> {
  const before = await meter(subject);
  await delay(ms);
  const spent = difference(before, await meter(subject));
  return {
    cpuPerMs: spent.cpuSeconds / spent.ms,
    proxyCpuPerMs: spent.proxyCpuSeconds / spent.ms,
    bytesPerMs: spent.bytes / spent.ms,
  };
}

/** What something costs, until nothing more is sent, idling taken off. */
export async function during(subject: Subject, idle: Idle, act: () => Promise<unknown>): Promise<Meter> {
  const before = await meter(subject);
  await act();
  await settled(subject);
  const spent = difference(before, await meter(subject));
  return {
    ms: spent.ms,
    cpuSeconds: Math.max(0, spent.cpuSeconds - idle.cpuPerMs * spent.ms),
    proxyCpuSeconds: Math.max(0, spent.proxyCpuSeconds - idle.proxyCpuPerMs * spent.ms),
    bytes: Math.max(0, spent.bytes - idle.bytesPerMs * spent.ms),
  };
}

/** Waits until nothing was sent for a while; where nothing is sent at all, a while that its own pauses are shorter than. */
async function settled(subject: Subject): Promise<void> {
  if (subject.xdsPort === undefined) return await delay(unseenMs);
  for (let last = -1; ; ) {
    const { bytes } = await meter(subject);
    if (bytes === last) return;
    last = bytes;
    await delay(quietMs);
  }
}

const quietMs = 1000;
/** Traefik takes a new configuration two seconds after the last one. */
const unseenMs = 3000;
