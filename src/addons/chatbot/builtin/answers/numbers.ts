import type { wire } from '../../tools/index.ts';
import { clusterText, lines, mostListed, paragraphs } from '../cluster-text.ts';
import type { Texts } from '../texts/index.ts';
import { type Answer, type Answering, type ProblemList, problemLines } from './answering.ts';

interface SeriesAnswer {
  readonly data?: { readonly result: readonly { readonly value?: readonly [number, string] }[] };
  readonly warnings?: readonly string[];
}

/** The number of a query that gives one; undefined when it gives none. */
const numberIn = ({ data }: SeriesAnswer): number | undefined => {
  const text = data?.result[0]?.value?.[1];
  return text === undefined || !Number.isFinite(Number(text)) ? undefined : Number(text);
};

const trafficQueries = ['request-rate', 'error-ratio', 'latency-p95'];

interface ReadyQuery {
  readonly id: string;
  readonly title: string;
  readonly query: string;
  readonly unit: string;
}

/** How much traffic there is, and whether it fails. */
export async function* trafficAnswer(answering: Answering): Answer {
  const { call, say } = answering;
  const failing = (yield* call('list_problems', { area: 'traffic' })) as ProblemList;
  const fails =
    failing.total > 0 && paragraphs(say.failingTraffic, problemLines(failing.problems, failing.total, answering));
  const ready = (yield* call('ready_queries')) as readonly ReadyQuery[];
  const found: string[] = [];
  for (const { title, query, unit } of ready.filter(({ id }) => trafficQueries.includes(id))) {
    const answered = (yield* call('metrics_query', { query })) as SeriesAnswer;
    const [warning] = answered.warnings ?? [];
    if (warning !== undefined) return paragraphs(fails, say.noMetrics(warning));
    const number = numberIn(answered);
    found.push(`${title}: ${number === undefined ? say.noData : `${Number(number.toPrecision(3))} ${unit}`}`);
  }
  return paragraphs(fails, say.traffic, lines(found));
}

interface AiReport {
  readonly overview: wire.AiOverviewAnswer;
  readonly cost: wire.AiCostAnswer;
}

/** Requests to models, their costs, and what is left of budgets. */
export async function* aiAnswer({ call, say }: Answering): Answer {
  const { overview, cost } = (yield* call('ai_report')) as AiReport;
  const { totalServices, readyServices, totalRequests, failedRequests, totalTokens } = overview;
  const budgets = cost.budgets.toSorted((a, b) => b.used / b.limit - a.used / a.limit);
  const money = (amount: number | null) => (amount === null ? say.noPrice : `$${amount.toFixed(2)}`);
  return paragraphs(
    say.ai(totalServices, readyServices, totalRequests, failedRequests, totalTokens),
    say.cost(money(cost.todayCost), money(cost.totalCost)),
    budgets.length === 0
      ? say.noBudget
      : paragraphs(say.budgets, lines(budgets.slice(0, mostListed).map((budget) => budgetText(budget, say)))),
    budgets.length > mostListed && say.more(budgets.length - mostListed),
  );
}

function budgetText(
  { policy, key, used, limit, unit, per, resetsAt }: wire.AiCostAnswer['budgets'][number],
  say: Texts,
): string {
  const reset = resetsAt.slice(0, 16).replace('T', ' ');
  const text = say.budget(clusterText(policy), clusterText(key), String(used), String(limit), unit, per, reset);
  return used >= limit ? `${text} (${say.usedUp})` : text;
}
