import { isProblem, keyOf, type ObjectByKind, type Status } from '../../../gateway-api/index.ts';
import { type AiQuestion, percentile } from '../data.ts';
import { costOfRows, headOf, type Merged, type ReportHead, sumOf } from './merged.ts';

type AIService = ObjectByKind['AIService'];

export interface ServiceInfo {
  readonly object: AIService;
  readonly status: Status | undefined;
}

export interface ProviderSummary {
  readonly provider: string;
  readonly services: number;
  readonly requests: number;
  readonly errorRate: number;
  readonly tokens: number;
  readonly cost: number | null;
}

export interface OverviewReport extends ReportHead {
  readonly totalServices: number;
  readonly readyServices: number;
  readonly totalRequests: number;
  readonly failedRequests: number;
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalCost: number | null;
  readonly averageLatency: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly timeToFirstTokenMs: { readonly p50: number | null; readonly p95: number | null };
  readonly fallbackRequests: number;
  readonly limitedRequests: number;
  readonly activeModels: readonly string[];
  readonly providers: readonly ProviderSummary[];
}

/** How AI traffic as a whole is doing. Requests are clients' and count once, whatever number of services was asked. */
export function overview(question: AiQuestion, merged: Merged, services: readonly ServiceInfo[]): OverviewReport {
  const { requests, usage, latency } = merged.data;
  const total = sumOf(requests, (row) => row.requests);
  const of = (kind: 'duration' | 'firstToken') => latency.filter((row) => row.kind === kind);
  const input = sumOf(usage, (row) => row.input);
  const output = sumOf(usage, (row) => row.output);
  return {
    ...headOf(question, merged),
    totalServices: services.length,
    readyServices: services.filter(isReady).length,
    totalRequests: total,
    failedRequests: sumOf(requests, ({ failed }) => failed),
    totalTokens: input + output,
    inputTokens: input,
    outputTokens: output,
    totalCost: costOfRows(usage),
    averageLatency: total === 0 ? null : Math.round((sumOf(requests, (row) => row.durationMs) / total) * 10) / 10,
    p50: percentile(of('duration'), 0.5),
    p95: percentile(of('duration'), 0.95),
    p99: percentile(of('duration'), 0.99),
    timeToFirstTokenMs: { p50: percentile(of('firstToken'), 0.5), p95: percentile(of('firstToken'), 0.95) },
    fallbackRequests: sumOf(requests, ({ fallback }) => fallback),
    limitedRequests: sumOf(requests, ({ limited }) => limited),
    activeModels: [...new Set(usage.map(({ model }) => model).filter(Boolean))].sort(),
    providers: providersOf(merged, services),
  };
}

export const isReady = ({ status }: ServiceInfo): boolean =>
  status !== undefined && 'conditions' in status && !status.conditions.some(isProblem);

function providersOf({ data }: Merged, services: readonly ServiceInfo[]): ProviderSummary[] {
  const providers = new Map<string, string>(services.map(({ object }) => [keyOf(object), object.spec.provider]));
  const rows = Map.groupBy(data.usage, ({ service }) => providers.get(service) ?? 'unknown');
  for (const provider of providers.values()) if (!rows.has(provider)) rows.set(provider, []);
  return [...rows]
    .map(([provider, used]) => {
      const requests = sumOf(used, (row) => row.requests);
      return {
        provider,
        services: [...providers.values()].filter((one) => one === provider).length,
        requests,
        errorRate: requests === 0 ? 0 : sumOf(used, ({ errors }) => errors) / requests,
        tokens: sumOf(used, ({ input, output }) => input + output),
        cost: costOfRows(used),
      };
    })
    .sort((a, b) => (a.provider < b.provider ? -1 : 1));
}
