import { keyOf, type ObjectByKind } from '../../../gateway-api/index.ts';
import { limitOf, windowOf } from '../budgets/windows.ts';
import type { AiQuestion, UsageRow } from '../data.ts';
import { priceVersion, type UnitPrices, unitPrices } from '../prices.ts';
import { costOfRows, dollars, headOf, type Merged, type ReportHead, sumOf } from './merged.ts';

export interface ModelCost {
  readonly model: string;
  readonly provider: string;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly requests: number;
  readonly cost: number | null;
  readonly unitPrices: UnitPrices;
}

export interface BudgetStanding {
  /** `NAMESPACE/NAME` of the TokenPolicy. */
  readonly policy: string;
  readonly key: string;
  readonly unit: 'Tokens' | 'Cost';
  readonly per: string;
  /** Tokens, or dollars. */
  readonly used: number;
  readonly limit: number;
  readonly resetsAt: string;
}

export interface CostReport extends ReportHead {
  readonly currency: 'USD';
  readonly priceVersion: string;
  readonly totalCost: number | null;
  readonly todayCost: number | null;
  readonly monthCost: number | null;
  readonly projectedMonthCost: number | null;
  readonly byModel: readonly ModelCost[];
  readonly byRoute: readonly {
    readonly route: string;
    readonly requests: number;
    readonly tokens: number;
    readonly cost: number | null;
  }[];
  readonly trend: readonly { readonly date: string; readonly model: string; readonly cost: number | null }[];
  readonly unpriced: { readonly requests: number; readonly tokens: number; readonly models: readonly string[] };
  readonly budgets: readonly BudgetStanding[];
}

export interface CostParts {
  /** From the first of the month on, by the day. */
  readonly month: readonly UsageRow[];
  readonly services: ReadonlyMap<string, ObjectByKind['AIService']>;
  readonly policies: Iterable<ObjectByKind['TokenPolicy']>;
  readonly now: number;
}

/** Money, in dollars. What has no price is never 0: it is null, and counted as unpriced. */
export function cost(question: AiQuestion, merged: Merged, { month, services, policies, now }: CostParts): CostReport {
  const { usage } = merged.data;
  const unpriced = usage.filter(({ unpricedRequests }) => unpricedRequests > 0);
  const day = windowOf('Day', now);
  const monthWindow = windowOf('Month', now);
  const monthCost = costOfRows(month);
  return {
    ...headOf(question, merged),
    currency: 'USD',
    priceVersion,
    totalCost: costOfRows(usage),
    todayCost: costOfRows(month.filter(({ at }) => at >= day.start)),
    monthCost,
    projectedMonthCost:
      monthCost === null
        ? null
        : round((monthCost * (monthWindow.end - monthWindow.start)) / Math.max(1, now - monthWindow.start)),
    byModel: byModel(usage, services, now),
    byRoute: [...Map.groupBy(usage, ({ route }) => route)]
      .map(([route, rows]) => ({
        route,
        requests: sumOf(rows, ({ requests }) => requests),
        tokens: sumOf(rows, ({ input, output }) => input + output),
        cost: costOfRows(rows),
      }))
      .sort((a, b) => (a.route < b.route ? -1 : 1)),
    trend: [...Map.groupBy(usage, ({ at, model }) => JSON.stringify([new Date(at).toISOString().slice(0, 10), model]))]
      .map(([key, rows]) => {
        const [date = '', model = ''] = JSON.parse(key) as string[];
        return { date, model, cost: costOfRows(rows) };
      })
      .sort((a, b) => (`${a.date} ${a.model}` < `${b.date} ${b.model}` ? -1 : 1)),
    unpriced: {
      requests: sumOf(unpriced, ({ unpricedRequests }) => unpricedRequests),
      tokens: sumOf(unpriced, ({ unpricedTokens }) => unpricedTokens),
      models: [...new Set(unpriced.map(({ model }) => model))].sort(),
    },
    budgets: standings(merged, policies, now),
  };
}

const round = (value: number): number => Math.round(value * 1e9) / 1e9;

function byModel(usage: readonly UsageRow[], services: CostParts['services'], now: number): ModelCost[] {
  const providerOf = (service: string) => services.get(service)?.spec.provider ?? 'unknown';
  const groups = Map.groupBy(usage, ({ model, service }) => JSON.stringify([model, providerOf(service)]));
  return [...groups]
    .map(([key, rows]) => {
      const [model = '', provider = ''] = JSON.parse(key) as string[];
      const [first] = rows as [UsageRow, ...UsageRow[]];
      return {
        model,
        provider,
        inputTokens: sumOf(rows, ({ input }) => input),
        cachedTokens: sumOf(rows, ({ cached }) => cached),
        outputTokens: sumOf(rows, ({ output }) => output),
        requests: sumOf(rows, ({ requests }) => requests),
        cost: costOfRows(rows),
        unitPrices: unitPrices({
          service: services.get(first.service),
          model,
          responseModel: rows.find(({ responseModel }) => responseModel !== '')?.responseModel ?? null,
          at: now,
        }),
      };
    })
    .sort((a, b) => (`${a.model} ${a.provider}` < `${b.model} ${b.provider}` ? -1 : 1));
}

/** Windows that go on now; what several replicas counted is summed. */
function standings({ data }: Merged, policies: Iterable<ObjectByKind['TokenPolicy']>, now: number): BudgetStanding[] {
  return [...policies].flatMap((policy) =>
    policy.spec.budgets.flatMap((budget) => {
      const { start, end } = windowOf(budget.per, now);
      const rows = data.budgets.filter(
        (row) => row.policy === keyOf(policy) && row.per === budget.per && row.start === start,
      );
      const inUnit = (value: number) => (budget.unit === 'Cost' ? (dollars(value) ?? 0) : value);
      return [...Map.groupBy(rows, ({ key }) => key)].map(([key, own]) => ({
        policy: keyOf(policy),
        key,
        unit: budget.unit,
        per: budget.per,
        used: inUnit(sumOf(own, ({ tokens, cost: nano }) => (budget.unit === 'Cost' ? nano : tokens))),
        limit: inUnit(limitOf(budget)),
        resetsAt: new Date(end).toISOString(),
      }));
    }),
  );
}
