import { readFile, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { availableMemory } from 'node:process';
import type { Clock } from '../clock.ts';
import { readProcStat } from '../proc-stat.ts';

/** What a trial may use. An Envoy that looks at a few resources takes 0.1 s and 65 MiB. */
export interface TrialLimits {
  readonly memoryBytes: number;
  readonly cpuMs: number;
  /** By the clock, for one that waits for what never comes. */
  readonly totalMs: number;
  /** What must stay free for the Envoy that serves. */
  readonly spareBytes: number;
}

/** Why a trial was ended; `isOwn`: it used too much itself, whatever else the machine does. */
export interface Excess {
  readonly reason: string;
  readonly isOwn: boolean;
}

const everyMs = 20;
/** Of `nice`: a tenth of the time that others with work get. The lowest one, 19, gets next to none beside proxies that use all of the machine. */
const lowPriority = 10;
const mib = 1024 * 1024;
/**
 * Lets it give way to all others: in its turn, and where memory is short. Without `/proc` that is only partly so. Where Gatewright runs there is no shell that could
 * set limits before the program begins.
 */
export async function yieldToOthers(pid: number): Promise<void> {
  try {
    setPriority(pid, lowPriority);
  } catch {
    // It has ended.
  }
  await writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => undefined);
}

/** Resolves with what the process uses too much of; undefined: `ended` was aborted before. Never rejects. */
export async function watchChild(
  pid: number,
  limits: TrialLimits,
  { clock, ended }: { readonly clock: Clock; readonly ended: AbortSignal },
): Promise<Excess | undefined> {
  const startedMs = clock.now().getTime();
  for (;;) {
    await clock.delay(everyMs, ended).catch(() => undefined);
    if (ended.aborted) return undefined;
    const excess = excessOf(await usageOf(pid), clock.now().getTime() - startedMs, limits);
    if (excess) return excess;
  }
}

function excessOf({ bytes, cpuMs, waitsForCpu }: Usage, totalMs: number, limits: TrialLimits): Excess | undefined {
  if (bytes > limits.memoryBytes)
    return { reason: `it takes Envoy more than ${limits.memoryBytes / mib} MiB of memory to read it`, isOwn: true };
  if (cpuMs > limits.cpuMs)
    return { reason: `it takes Envoy more than ${limits.cpuMs / 1000} s of CPU time to read it`, isOwn: true };
  if (totalMs > limits.totalMs)
    return { reason: `Envoy does not come to an end with it within ${limits.totalMs / 1000} s`, isOwn: !waitsForCpu };
  return availableMemory() < limits.spareBytes ? { reason: shortOfMemory(), isOwn: false } : undefined;
}

export const shortOfMemory = (): string =>
  `the proxy has ${Math.floor(availableMemory() / mib)} MiB of memory left, which the Envoy that serves may need`;

interface Usage {
  readonly bytes: number;
  readonly cpuMs: number;
  /** It would run if others left it a processor. */
  readonly waitsForCpu: boolean;
}

/** Nothing where that is not known. */
async function usageOf(pid: number): Promise<Usage> {
  const [memory, stat] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''),
    readProcStat(`/proc/${pid}/stat`),
  ]);
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(memory)?.[1] ?? 0);
  return { bytes: kib * 1024, cpuMs: stat?.cpuMs ?? 0, waitsForCpu: stat?.isRunnable ?? false };
}
