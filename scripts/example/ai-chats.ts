import type {
  CostReport,
  OverviewReport,
  ServiceReport,
  TokenUsageReport,
  TracesReport,
} from '../../src/addons/ai/index.ts';
import { type Chat, reader, sendChat, untilReported } from './chat-reports.ts';
import type { Outcome } from './example.ts';
import type { Used } from './other-operations.ts';
import type { RunningExample } from './running-example.ts';

const chats: readonly Chat[] = [
  {
    what: 'streamed by OpenAI',
    model: 'gpt-4o',
    team: 'red',
    stream: true,
    behaviour: { used: { input: 120, output: 60, cached: 40 } },
    status: 200,
  },
  {
    what: 'streamed by Anthropic, translated',
    model: 'claude-sonnet-4-5',
    team: 'blue',
    stream: true,
    behaviour: { used: { input: 300, output: 90, cached: 100, cacheWrite: 50 } },
    status: 200,
  },
  {
    what: 'priced by the AIService',
    model: 'fast',
    team: 'blue',
    behaviour: { used: { input: 200, output: 40 } },
    status: 200,
  },
  {
    what: 'OpenAI falls over, Anthropic answers',
    model: 'gpt-4o',
    team: 'red',
    stream: true,
    behaviour: { only: 'openai', status: 503, used: {} },
    status: 200,
  },
  {
    what: 'uses the budget of the team up',
    model: 'gpt-4o',
    team: 'green',
    behaviour: { used: { input: 900, output: 200 } },
    status: 200,
  },
  { what: 'no service has the model', model: 'no-such-model', team: 'red', behaviour: {}, status: 404 },
];

/** Streams some chats through both providers, one of which falls over, and holds the reports against the providers' own ledgers. */
export async function chatAndReport(running: RunningExample): Promise<Outcome> {
  const lines: string[] = [];
  const faults: string[] = [];
  const run = async (chat: Chat) => {
    const status = await sendChat(running, 'ai.localhost', chat);
    lines.push(`${status === chat.status ? 'ok  ' : 'FAIL'} ${chat.model}: ${chat.what} -> ${status}`);
    if (status !== chat.status) faults.push(`${chat.what}: ${status} instead of ${chat.status}`);
  };
  for (const chat of chats) await run(chat);
  const report = reader(running);
  await untilReported(
    async () => (await report<TokenUsageReport>('token-usage')).totals.requests === ledgerOf(running).length,
  );
  await run({ what: 'the budget is used up', model: 'gpt-4o', team: 'green', behaviour: {}, status: 429 });
  const asked = chats.length + 1;
  await untilReported(async () => (await report<OverviewReport>('overview')).totalRequests === asked);
  const reports = {
    overview: await report<OverviewReport>('overview'),
    services: await report<readonly ServiceReport[]>('services'),
    'token-usage': await report<TokenUsageReport>('token-usage'),
    traces: await report<TracesReport>('traces'),
    cost: await report<CostReport>('cost'),
  };
  lines.push(...summaryOf(reports));
  faults.push(...differences(running, reports, asked));
  lines.push(
    '',
    `${faults.length === 0 ? 'ok  ' : 'FAIL'} tokens, cost and traces are those of the providers' own ledgers`,
  );
  return { lines, faults };
}

/** What the reports teach, without all of their fields. */
function summaryOf({
  overview,
  cost,
  traces,
}: {
  readonly overview: OverviewReport;
  readonly cost: CostReport;
  readonly traces: TracesReport;
}): string[] {
  const { totalRequests, failedRequests, limitedRequests, fallbackRequests, inputTokens, outputTokens } = overview;
  const dollars = (amount: number | null): string => `$${(amount ?? 0).toFixed(6)}`;
  return [
    '',
    `${totalRequests} requests: ${failedRequests} failed, ${limitedRequests} over a budget, ${fallbackRequests} answered by a fallback`,
    `${inputTokens} tokens in and ${outputTokens} out, ${dollars(cost.totalCost)}`,
    ...traces.items
      .toReversed()
      .map(
        ({ model, attempts, tokens, cost: price }) =>
          `  ${model || 'a model that no service has'}: ${attempts.map(({ service }) => service).join(', then ') || 'sent to no service'}, ${tokens} tokens, ${dollars(price)}`,
      ),
    'The whole reports, while it runs with --keep: curl -s http://127.0.0.1:18081/v1/ai/overview, and services, token-usage, traces, cost',
  ];
}

const ledgerOf = ({ models }: RunningExample) => [...models.values()].flatMap(({ ledger }) => ledger);

function differences(
  running: RunningExample,
  reports: {
    readonly overview: OverviewReport;
    readonly 'token-usage': TokenUsageReport;
    readonly traces: TracesReport;
    readonly cost: CostReport;
  },
  asked: number,
): string[] {
  const ledger = ledgerOf(running);
  const sum = (of: keyof Used) => ledger.reduce((total, { used }) => total + (used?.[of] ?? 0), 0);
  const { totals } = reports['token-usage'];
  const { items } = reports.traces;
  const pairs: readonly (readonly [string, number, number])[] = [
    ['input tokens', totals.promptTokens, sum('input')],
    ['output tokens', totals.completionTokens, sum('output')],
    ['cached tokens', totals.cachedTokens, sum('cached')],
    ['tokens written to caches', totals.cacheWriteTokens, sum('cacheWrite')],
    ['tokens of the overview', reports.overview.totalTokens, sum('input') + sum('output')],
    ['tokens of traces', items.reduce((total, { tokens }) => total + tokens, 0), sum('input') + sum('output')],
    ['traces', items.length, asked],
    ['attempts', items.reduce((total, { attempts }) => total + attempts.length, 0), ledger.length],
    [
      'nano-dollars',
      Math.round((reports.cost.totalCost ?? 0) * 1e9),
      ledger.reduce((total, entry) => total + nanos(entry), 0),
    ],
  ];
  return pairs
    .filter(([, reported, kept]) => reported !== kept)
    .map(([what, reported, kept]) => `${what}: ${reported} reported, ${kept} in the ledgers`);
}

/** Dollars for a million tokens: of input, of what was cached of it, of what was written to a cache, of output. */
const prices: Readonly<Record<string, readonly [number, number, number, number]>> = {
  'gpt-4o': [2.5, 1.25, 2.5, 10],
  'house-model-1': [0.15, 0.075, 0.15, 0.6],
  'claude-sonnet-4-5': [3, 0.3, 3.75, 15],
};

function nanos({
  body,
  used,
}: {
  readonly body: Readonly<Record<string, unknown>>;
  readonly used: Used | undefined;
}): number {
  if (!used) return 0;
  const [input, cached, cacheWrite, output] = prices[String(body.model)] ?? [0, 0, 0, 0];
  const plain = used.input - used.cached - used.cacheWrite;
  return Math.round(
    (plain * input + used.cached * cached + used.cacheWrite * cacheWrite + used.output * output) * 1000,
  );
}
