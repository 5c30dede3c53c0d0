import type { AiData, AiQuestion, Trace } from '../data.ts';
import type { Window } from '../window.ts';

/** What all replicas know of a time, and whether that is all there was. */
export interface Merged {
  readonly data: AiData;
  readonly complete: boolean;
  readonly warnings: readonly string[];
}

/** What every report says of itself. */
export interface ReportHead {
  readonly window: Window;
  readonly source: 'local' | 'none';
  readonly complete: boolean;
  readonly warnings: readonly string[];
}

export const headOf = ({ from, to, stepMs }: AiQuestion, { data, complete, warnings }: Merged): ReportHead => ({
  window: { from: new Date(from).toISOString(), to: new Date(to).toISOString(), stepSeconds: stepMs / 1000 },
  source: data.requests.length + data.usage.length + data.traces.length > 0 ? 'local' : 'none',
  complete,
  warnings,
});

/** Several replicas' data as one: what each heard of is its own, but for parts of one request. */
export function mergeData(parts: readonly AiData[], traces: number): AiData {
  const strays = Map.groupBy(
    parts.flatMap((part) => part.strays),
    ({ id }) => id,
  );
  const byId = new Map<string, Trace>();
  for (const { request, attempts } of parts.flatMap((part) => part.traces)) {
    const known = byId.get(request.id)?.attempts ?? strays.get(request.id) ?? [];
    byId.set(request.id, { request, attempts: [...known, ...attempts].sort((a, b) => a.at - b.at) });
  }
  return {
    requests: parts.flatMap(({ requests }) => requests),
    usage: parts.flatMap(({ usage }) => usage),
    latency: parts.flatMap(({ latency }) => latency),
    traces: [...byId.values()]
      .sort((a, b) => b.request.at - a.request.at || (a.request.id < b.request.id ? -1 : 1))
      .slice(0, traces || undefined),
    strays: [],
    budgets: parts.flatMap(({ budgets }) => budgets),
  };
}

export const sumOf = <T>(rows: readonly T[], value: (row: T) => number): number =>
  rows.reduce((sum, row) => sum + value(row), 0);

/** Dollars of nano-dollars; null where no row has a price. */
export function costOfRows(rows: readonly { readonly cost: number | null }[]): number | null {
  const priced = rows.filter(({ cost }) => cost !== null);
  return priced.length === 0 ? null : sumOf(priced, ({ cost }) => cost ?? 0) / 1e9;
}

/** Dollars of nano-dollars. */
export const dollars = (nano: number | null): number | null => (nano === null ? null : nano / 1e9);
