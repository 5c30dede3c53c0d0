import type { UsedOf } from '../budgets/budget-view.ts';
import type { AiData, AiQuestion, AttemptTrace, BudgetRow } from '../data.ts';
import type { RequestRecord } from '../records.ts';

/** One record of a report, with all that is to be kept of it. */
export interface Entry {
  /** The same for a record that is reported again. */
  readonly seenKey: string;
  readonly record: RequestRecord | AttemptTrace;
  /** What the first budget of an attempt counts by; else empty. */
  readonly key: string;
  /** What it adds to budgets. */
  readonly budgets: readonly BudgetRow[];
}

/** Keeps what AI traffic used: minutes for two days, hours for a month, and the newest traces. An entry that comes twice counts once. */
export interface UsageStore {
  /** Whether all replicas use the same one, so that each knows what all of them keep. */
  readonly isShared: boolean;
  /** Whether a restart forgets it. */
  readonly isVolatile: boolean;
  /** Keeps all of them or none. Gives those that are new. Rejects when they cannot be kept. */
  keep(entries: readonly Entry[], now: number): Promise<readonly Entry[]>;
  /** What was used of a budget in the window that began then, as far as is known. */
  readonly used: UsedOf;
  /** Another replica that uses the same one says what is kept there now. */
  learn?(sums: readonly BudgetRow[]): void;
  /** Rejects with the reason, for people. */
  read(question: AiQuestion): Promise<AiData>;
  /** Forgets what is old. */
  prune(now: number): Promise<void>;
  /** Forgets all but the newest traces. */
  pruneTraces(): Promise<void>;
  close(): Promise<void>;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long what is kept. */
export const kept = {
  /** Minutes; then their hours. */
  minutesMs: 2 * dayMs,
  hoursMs: 32 * dayMs,
  traces: 2000,
  /** Of reports whose records are known again; agents retry for less than this. */
  seenMs: dayMs,
} as const;

export const floorTo = (ms: number, step: number): number => Math.floor(ms / step) * step;
