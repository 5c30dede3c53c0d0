import type { AskAdmin } from '../ask-admin.ts';
import type { ChatRequest } from '../chat-request.ts';
import type { ChatEvent } from '../events.ts';
import type { Diagnosis } from '../tools/diagnose.ts';
import { runTool, type wire } from '../tools/index.ts';
import type { Problem } from '../tools/list-problems.ts';
import {
  certificatesText,
  diagnosisText,
  driftText,
  eventsText,
  type LoggedEvent,
  numberIn,
  paragraphs,
  problemsText,
  requestText,
  routesText,
  type SeriesAnswer,
  summaryText,
} from './findings.ts';
import { type Intent, intentOf } from './intents.ts';

type Call = (name: string, input?: object) => AsyncGenerator<ChatEvent, unknown>;

/**
 * Answers common questions by rules, with the tools that a model would use and the same events, so that a chat is of use without any
 * model. What it says is what the tools found, and nothing else.
 */
export async function* answerBuiltin(
  request: ChatRequest,
  ask: AskAdmin,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  let count = 0;
  /** Calls a tool, telling so; gives what it found, or throws what went wrong as a finding. */
  async function* call(name: string, input: object = {}): AsyncGenerator<ChatEvent, unknown> {
    count += 1;
    const id = `call_${count}`;
    yield { type: 'tool_call', id, name, arguments: input };
    const { ok, summary, bytes, value } = await runTool(name, input, ask, signal);
    yield { type: 'tool_result', id, name, ok, summary, bytes };
    if (!ok) throw new NotFound(summary);
    return value;
  }
  try {
    yield { type: 'text', text: yield* answer(intentOf(request), call) };
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    yield { type: 'text', text: `That could not be found out: ${error.message}.` };
  }
  yield { type: 'done', finishReason: 'stop' };
}

/** A tool that found nothing; the message says why. */
class NotFound extends Error {
  override readonly name = 'NotFound';
}

async function* answer(intent: Intent, call: Call): AsyncGenerator<ChatEvent, string> {
  switch (intent.kind) {
    case 'request': {
      const { method, scheme, host, port, path } = intent.request;
      const asked = `${method} ${scheme}://${host}${port === undefined ? '' : `:${port}`}${path}`;
      return requestText((yield* call('explain_request', intent.request)) as wire.RouteTestAnswer, asked);
    }
    case 'which-request':
      return paragraphs(
        'Give me the request, such as “why is http://shop.example.com/cart answered 404?”, and I look at what the proxies do with it.',
        problemsText((yield* call('list_problems')) as ProblemList, 'What is wrong in general'),
      );
    case 'object':
      return diagnosisText((yield* call('diagnose', intent.object)) as Diagnosis);
    case 'certificates':
      return certificatesText(entriesOf(yield* call('list_certificates', { limit: 100 })));
    case 'drift':
      return driftText((yield* call('snapshot_sync')) as wire.SyncAnswer);
    case 'problems': {
      const { area } = intent;
      const found = (yield* call('list_problems', { ...(area && { area }) })) as ProblemList;
      return problemsText(found, area === undefined ? 'Everything' : `Every ${area}`);
    }
    case 'traffic':
      return yield* traffic(call);
    case 'events':
      return eventsText(entriesOf(yield* call('recent_events', { limit: 10 })) as readonly LoggedEvent[]);
    case 'routes': {
      const found = (yield* call('list_routes')) as {
        readonly total: number;
        readonly entries: readonly wire.RouteAnswer[];
      };
      return routesText(found.entries, found.total);
    }
    case 'summary':
      return paragraphs(summaryText((yield* call('summary')) as wire.SummaryAnswer), help);
    default:
      return intent satisfies never;
  }
}

interface ProblemList {
  readonly total: number;
  readonly problems: readonly Problem[];
}

const entriesOf = <T>(value: unknown): readonly T[] => (value as { readonly entries: readonly T[] }).entries;

const help =
  'Without a model I answer questions such as: “why is http://HOST/PATH 404?”, “what is not accepted?”, “who has drifted?”, “what expires?”, “what is wrong with HTTPRoute NAMESPACE/NAME?”, “what happened lately?”.';

const trafficQueries = ['request-rate', 'error-ratio', 'latency-p95'];

async function* traffic(call: Call): AsyncGenerator<ChatEvent, string> {
  const ready = (yield* call('ready_queries')) as readonly {
    readonly id: string;
    readonly title: string;
    readonly query: string;
    readonly unit: string;
  }[];
  const found: string[] = [];
  for (const { title, query, unit } of ready.filter(({ id }) => trafficQueries.includes(id))) {
    const answered = (yield* call('metrics_query', { query })) as SeriesAnswer;
    const [warning] = answered.warnings ?? [];
    if (warning !== undefined) return `There is nothing to read traffic from: ${warning}.`;
    const number = numberIn(answered);
    found.push(`- ${title}: ${number === undefined ? 'no data' : `${Number(number.toPrecision(3))} ${unit}`}`);
  }
  return paragraphs('Over the last five minutes:', found.join('\n'));
}
