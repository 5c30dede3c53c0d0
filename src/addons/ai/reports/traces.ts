import { type AiQuestion, perTokenMs, type Trace } from '../data.ts';
import type { PickRecord } from '../pick-record.ts';
import type { UsageStatus } from '../records.ts';
import { dollars, headOf, type Merged, type ReportHead, sumOf } from './merged.ts';

/** One request of a client, with what came of it. */
export interface TraceItem {
  readonly id: string;
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly timestamp: string;
  readonly node: string;
  readonly route: string;
  /** The one that answered, or was asked last; null: none was asked. */
  readonly service: string | null;
  readonly provider: string | null;
  readonly operation: string | null;
  readonly model: string;
  readonly responseModel: string | null;
  readonly stream: boolean;
  readonly status: 'ok' | 'error';
  readonly httpStatus: number;
  readonly attempts: readonly {
    readonly service: string;
    readonly status: number;
    readonly errorType: string | null;
    readonly timeToFirstTokenMs: number | null;
    readonly timePerOutputTokenMs: number | null;
    /** Null: the service is no pool. */
    readonly pick: PickRecord | null;
  }[];
  /** Milliseconds. */
  readonly duration: number;
  readonly timeToFirstTokenMs: number | null;
  readonly tokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usageStatus: UsageStatus;
  readonly cost: number | null;
  readonly errorType: string | null;
}

export interface TraceFilter {
  readonly limit: number;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
  readonly model?: string | undefined;
  readonly status?: 'ok' | 'error' | undefined;
  readonly minMs?: number | undefined;
}

export interface TracesReport extends ReportHead {
  readonly items: readonly TraceItem[];
  readonly next: string | null;
}

/** Requests, the newest first. */
export function traces(
  question: AiQuestion,
  merged: Merged,
  { limit, cursor, model, status, minMs = 0 }: TraceFilter,
  providerOf: (service: string) => string,
): TracesReport {
  const all = merged.data.traces
    .map((trace) => itemOf(trace, providerOf))
    .filter(
      (item) =>
        (model === undefined || item.model === model) &&
        (status === undefined || item.status === status) &&
        item.duration >= minMs &&
        (cursor === undefined || cursorOf(item) > cursor),
    );
  const items = all.slice(0, limit);
  const last = items.at(-1);
  return { ...headOf(question, merged), items, next: last && all.length > limit ? cursorOf(last) : null };
}

const farFuture = 9_999_999_999_999;

/** Greater for older ones. */
const cursorOf = ({ timestamp, id }: TraceItem): string => `${farFuture - Date.parse(timestamp)}.${id}`;

function itemOf({ request, attempts }: Trace, providerOf: (service: string) => string): TraceItem {
  const last = attempts.at(-1);
  const priced = attempts.filter(({ cost }) => cost !== null);
  const input = sumOf(attempts, ({ usage }) => usage?.input ?? 0);
  const output = sumOf(attempts, ({ usage }) => usage?.output ?? 0);
  return {
    id: request.id,
    traceId: request.traceId,
    spanId: request.spanId,
    timestamp: new Date(request.at).toISOString(),
    node: request.node,
    route: request.route,
    service: last?.service ?? null,
    provider: last ? providerOf(last.service) : null,
    operation: last?.operation ?? null,
    model: request.model,
    responseModel: last?.responseModel ?? null,
    stream: request.stream,
    status: request.errorType === null && request.status < 400 ? 'ok' : 'error',
    httpStatus: request.status,
    attempts: attempts.map((attempt) => ({
      service: attempt.service,
      status: attempt.status,
      errorType: attempt.errorType,
      timeToFirstTokenMs: attempt.errorType === null ? (attempt.firstByteMs ?? null) : null,
      timePerOutputTokenMs: perTokenMs(attempt),
      pick: attempt.pick ?? null,
    })),
    duration: request.durationMs,
    timeToFirstTokenMs: request.firstByteMs,
    tokens: input + output,
    inputTokens: input,
    outputTokens: output,
    usageStatus: last?.usageStatus ?? 'absent',
    cost: priced.length === 0 ? null : dollars(sumOf(priced, ({ cost }) => cost ?? 0)),
    errorType: request.errorType,
  };
}
