import type { BudgetHold, BudgetSum } from '../../contracts/index.ts';
import type { AttemptRecord, RequestRecord } from './records.ts';

/** Requests of one route and model in one step of time. */
export interface RequestRow {
  readonly at: number;
  readonly route: string;
  readonly model: string;
  readonly requests: number;
  readonly failed: number;
  readonly limited: number;
  readonly fallback: number;
  readonly durationMs: number;
}

/** What services were asked, and what they say was used. Costs are whole nano-dollars. */
export interface UsageRow {
  readonly at: number;
  readonly route: string;
  readonly service: string;
  readonly model: string;
  /** As the provider calls what answered; empty where it says nothing. */
  readonly responseModel: string;
  readonly key: string;
  readonly requests: number;
  readonly errors: number;
  readonly unmetered: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  /** Of those that have a price; null: none has. */
  readonly cost: number | null;
  readonly unpricedRequests: number;
  readonly unpricedTokens: number;
}

/** How many values fell between `1.05^bucket` and the next, in milliseconds. */
export interface LatencyRow {
  readonly kind: 'duration' | 'firstToken' | 'service' | 'serviceFirstToken' | 'servicePerToken';
  /** Of kinds that begin with `service`, its `NAMESPACE/NAME`; else empty. */
  readonly subject: string;
  readonly bucket: number;
  readonly count: number;
}

export type AttemptTrace = AttemptRecord & { readonly cost: number | null };

/**
 * The mean time between output tokens of an answer in pieces, in milliseconds; null where it cannot be known. Reasoning counts as output, and providers send
 * several tokens at once: it is what a reader waits, not how a server works.
 */
export function perTokenMs({ stream, usage, durationMs, firstByteMs = null }: AttemptRecord): number | null {
  if (!stream || firstByteMs === null || !usage || usage.output < 2) return null;
  return Math.max(0, durationMs - firstByteMs) / (usage.output - 1);
}

/** A request with what services were asked because of it. */
export interface Trace {
  readonly request: RequestRecord;
  readonly attempts: readonly AttemptTrace[];
}

export type BudgetRow = BudgetSum;

/** Everything that one replica knows of a time. */
export interface AiData {
  readonly requests: readonly RequestRow[];
  readonly usage: readonly UsageRow[];
  readonly latency: readonly LatencyRow[];
  readonly traces: readonly Trace[];
  /** Asked because of requests that another replica heard of: a proxy may have changed replicas in between. */
  readonly strays: readonly AttemptTrace[];
  readonly budgets: readonly BudgetRow[];
  /** What requests under way hold of them. Missing from replicas of older releases. */
  readonly holds?: readonly BudgetHold[];
}

export const nothingKept: AiData = { requests: [], usage: [], latency: [], traces: [], strays: [], budgets: [] };

export interface AiQuestion {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  /** How many traces, the newest first; 0: none. */
  readonly traces: number;
}

const latencyBase = Math.log(1.05);

export const latencyBucket = (ms: number): number => Math.round(Math.log(Math.max(0.1, ms)) / latencyBase);

/** The value below which `share` of all are; null when there are none. Within 3% of it. */
export function percentile(rows: readonly LatencyRow[], share: number): number | null {
  const counts = new Map<number, number>();
  for (const { bucket, count } of rows) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let passed = 0;
  for (const [bucket, count] of [...counts].sort(([a], [b]) => a - b)) {
    passed += count;
    if (passed >= share * total) return Math.round(Math.exp(bucket * latencyBase) * 10) / 10;
  }
  return null;
}
