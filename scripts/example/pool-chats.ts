import type { ServiceReport, TokenUsageReport, TracesReport } from '../../src/addons/ai/index.ts';
import { type Chat, reader, sendChat, untilReported } from './chat-reports.ts';
import type { Outcome } from './example.ts';
import type { RunningExample } from './running-example.ts';

const host = 'models.localhost';
/** The port of the picker in the YAML. */
const pickerPort = 9003;

const usual = { model: 'llama-3', team: 'red', behaviour: { used: { input: 50, output: 20 } }, status: 200 } as const;

const whilePicked: readonly Chat[] = [
  ...[1, 2, 3, 4].map((nth) => ({ ...usual, what: `the picker chooses, ${nth} of 4`, stream: nth % 2 === 0 })),
  { ...usual, what: 'an adapter that the model servers call sql-lora', model: 'sql' },
  {
    ...usual,
    what: 'the pool is full for batch work, the provider outside answers',
    headers: { 'x-gateway-inference-objective': 'batch' },
  },
  { ...usual, what: 'a model server fails, the provider outside answers', behaviour: { only: 'openai', status: 500 } },
];

/** What is sent to the pool when its picker is away. */
const attemptsWithoutPicker = 3;

/** Chats with a pool that is full, and loses its picker, and holds the reports against the servers' own ledgers. */
export async function chatWithPool(running: RunningExample): Promise<Outcome> {
  const lines: string[] = [];
  const faults: string[] = [];
  const run = async (chat: Chat) => {
    const status = await sendChat(running, host, chat);
    lines.push(`${status === chat.status ? 'ok  ' : 'FAIL'} ${chat.model}: ${chat.what} -> ${status}`);
    if (status !== chat.status) faults.push(`${chat.what}: ${status} instead of ${chat.status}`);
  };
  for (const chat of whilePicked) await run(chat);
  await running.stopBackend(running.ports.get(pickerPort) ?? pickerPort);
  await run({ ...usual, what: 'the picker is away, the provider outside answers' });
  await run({ ...usual, what: 'the picker is away, and no other service has this model', model: 'sql', status: 503 });
  await run({
    ...usual,
    what: 'uses the budget of the team up',
    team: 'green',
    behaviour: { used: { input: 900, output: 200 } },
  });
  const report = reader(running);
  await untilReported(
    async () => (await report<TokenUsageReport>('token-usage')).totals.totalTokens === tokensOf(running),
  );
  await run({ ...usual, what: 'the budget is used up', team: 'green', status: 429 });
  const asked = whilePicked.length + 4;
  await untilReported(async () => (await report<TracesReport>('traces')).items.length === asked);
  const traces = await report<TracesReport>('traces');
  const usage = await report<TokenUsageReport>('token-usage');
  lines.push('', ...traces.items.toReversed().map(lineOf), '', await timesOf(report));
  faults.push(...differences(running, traces, usage));
  lines.push(
    `${faults.length === 0 ? 'ok  ' : 'FAIL'} tokens, and who served, are those of the servers' own ledgers`,
    'The whole reports, while it runs with --keep: curl -s http://127.0.0.1:18081/v1/ai/traces, and services, token-usage, cost',
  );
  return { lines, faults };
}

const ledgerOf = ({ models }: RunningExample) => [...models.values()].flatMap(({ ledger }) => ledger);

const tokensOf = (running: RunningExample): number =>
  ledgerOf(running).reduce((total, { used }) => total + (used?.input ?? 0) + (used?.output ?? 0), 0);

type Item = TracesReport['items'][number];

/** `llama-3: default/llama answered by the picker (429), then default/outside (200), 70 tokens` */
function lineOf({ model, attempts, tokens }: Item): string {
  const steps = attempts.map(({ service, status, pick }) => `${service}${pick ? pickText(pick) : ''} (${status})`);
  return `  ${model}: ${steps.join(', then ') || 'sent to no service'}, ${tokens} tokens`;
}

const pickText = ({ outcome, endpoint }: NonNullable<Item['attempts'][number]['pick']>): string =>
  endpoint === null ? ` ${outcome}` : ` ${outcome} ${endpoint}`;

async function timesOf(report: ReturnType<typeof reader>): Promise<string> {
  const services = await report<readonly ServiceReport[]>('services');
  const times = services.find(({ name }) => name === 'llama')?.last5m;
  return `first token of the pool within ${times?.timeToFirstTokenMs.p95} ms for 95 of 100, then one each ${times?.timePerOutputTokenMs.p95} ms`;
}

function differences(running: RunningExample, { items }: TracesReport, { totals }: TokenUsageReport): string[] {
  const attempts = items.flatMap((item) => item.attempts);
  const servedBy = (address: string) =>
    attempts.filter(({ pick }) => pick?.endpoint?.startsWith(`${address}:`) === true).length;
  const entriesOf = (name: string) => running.models.get(name)?.ledger.length ?? 0;
  const outcomes = (wanted: string) => attempts.filter(({ pick }) => pick?.outcome === wanted).length;
  const pairs: readonly (readonly [string, number, number])[] = [
    ['tokens', totals.totalTokens, tokensOf(running)],
    ['requests to llama-0', servedBy('127.0.0.11'), entriesOf('llama-0')],
    ['requests to llama-1', servedBy('127.0.0.12'), entriesOf('llama-1')],
    ['requests to the provider outside', attempts.filter(({ pick }) => pick === null).length, entriesOf('outside')],
    ['requests that the picker answered', outcomes('answered'), 1],
    ['requests without a picker', outcomes('failed'), attemptsWithoutPicker],
  ];
  return pairs.flatMap(([what, reported, kept]) =>
    reported === kept ? [] : [`${what}: ${reported} reported, ${kept} in the ledgers`],
  );
}
