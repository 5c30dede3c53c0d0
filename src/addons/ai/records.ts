import { fromBinary } from '@bufbuild/protobuf';
import { aiHeaders, aiLogs, aiOperations } from '../../contracts/index.ts';
import {
  TokenUsage_ExtractionStatus as Extraction,
  type HTTPAccessLogEntry,
  type StreamAccessLogsMessage,
  type TokenUsage,
  TokenUsageSchema,
} from '../../envoy/index.ts';
import { readTraceparent, type TraceContext } from '../../spans/index.ts';
import { type PickRecord, pickOf } from './pick-record.ts';

export type UsageStatus = 'complete' | 'partial' | 'failed' | 'absent';

/** What a client asked, and what came of it. Times are milliseconds. */
export interface RequestRecord {
  readonly kind: 'request';
  readonly id: string;
  readonly node: string;
  readonly at: number;
  /** `httproute/NAMESPACE/NAME` */
  readonly route: string;
  /** As the request says; empty where it is none that there is. */
  readonly model: string;
  readonly stream: boolean;
  readonly status: number;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
  readonly attempts: number;
  /** By a budget. */
  readonly limited: boolean;
  readonly errorType: string | null;
  readonly traceId: string | null;
  readonly spanId: string | null;
}

/** What one service was asked because of a request. Tokens are null where nothing is known of them. `at` has fractions, for tries follow each other closely. */
export interface AttemptRecord {
  readonly kind: 'attempt';
  readonly id: string;
  readonly node: string;
  readonly at: number;
  readonly route: string;
  /** `NAMESPACE/NAME` of the AIService. */
  readonly service: string;
  readonly operation: string;
  readonly model: string;
  readonly responseModel: string | null;
  readonly stream: boolean;
  readonly status: number;
  readonly durationMs: number;
  /** Until the first of the answer came; null: none did. */
  readonly firstByteMs: number | null;
  /** What the provider was asked with; null: no trace. */
  readonly trace: TraceContext | null;
  readonly usageStatus: UsageStatus;
  readonly usage: Usage | null;
  /** `POLICY KEY` of each budget that it counts for. */
  readonly budgets: readonly string[];
  readonly errorType: string | null;
  /** Where the service is a pool. Missing in what was stored before. */
  readonly pick?: PickRecord;
}

/** Counts of tokens as OpenTelemetry means them: input has what was cached, output what was reasoned. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** What of a message is about AI traffic. What cannot be read is left out, for it would come again and again. */
export function recordsOf(node: string, message: StreamAccessLogsMessage): (RequestRecord | AttemptRecord)[] {
  if (message.logEntries.case !== 'httpLogs') return [];
  return message.logEntries.value.logEntry.flatMap((entry) => {
    try {
      return recordOf(node, entry) ?? [];
    } catch {
      return [];
    }
  });
}

function recordOf(node: string, entry: HTTPAccessLogEntry): RequestRecord | AttemptRecord | undefined {
  const common = entry.commonProperties;
  if (!common) return undefined;
  const notes = common.metadata?.filterMetadata[aiLogs.attempt];
  // What is done in one listener for a provider has notes; what chose among them has headers still.
  return common.customTags.kind === 'attempt' ? attemptOf(node, entry, (notes ?? {}) as Notes) : requestOf(node, entry);
}

type Notes = Readonly<Record<string, string>>;
const millis = (duration: { readonly seconds: bigint; readonly nanos: number } | undefined): number | null =>
  duration ? Number(duration.seconds) * 1000 + duration.nanos / 1e6 : null;

const startOf = ({ commonProperties }: HTTPAccessLogEntry): number => millis(commonProperties?.startTime) ?? 0;

function requestOf(node: string, entry: HTTPAccessLogEntry): RequestRecord | undefined {
  const { request, response, commonProperties: common } = entry;
  const headers = request?.requestHeaders ?? {};
  const id = headers[aiHeaders.id];
  // Listing models sends no request to a provider.
  if (!id || !common || common.routeName === 'models') return undefined;
  const trace = readTraceparent(headers.traceparent);
  const status = response?.responseCode ?? 0;
  return {
    kind: 'request',
    id,
    node,
    at: Math.round(startOf(entry)),
    route: headers[aiHeaders.route] ?? '',
    model: common.routeName.startsWith('model ') ? (headers[aiHeaders.model] ?? '').slice(0, 256) : '',
    stream: headers[aiHeaders.stream] === 'true',
    status,
    durationMs: Math.round(millis(common.duration) ?? millis(common.timeToLastDownstreamTxByte) ?? 0),
    firstByteMs: millis(common.timeToFirstDownstreamTxByte),
    attempts: common.upstreamRequestAttemptCount,
    limited: common.responseFlags?.rateLimited === true,
    errorType: errorTypeOf(entry),
    traceId: trace?.traceId ?? null,
    spanId: trace?.parentId ?? null,
  };
}

/** Undefined too where the proxy itself answered, because the service cannot do what was wanted: it was not asked, and has counted nothing. */
function attemptOf(node: string, entry: HTTPAccessLogEntry, notes: Notes): AttemptRecord | undefined {
  const { request, response, commonProperties: common } = entry;
  const { id, route = '', model = '', stream, budgets } = notes;
  if (!common || !id || !isOperation(common.routeName)) return undefined;
  const reported = tokenUsageOf(entry);
  const pick = pickOf(entry, notes);
  const usage = reported && usageOf(reported);
  return {
    kind: 'attempt',
    id,
    node,
    at: startOf(entry),
    route,
    service: common.customTags.subject ?? '',
    operation: common.routeName,
    model: model.slice(0, 256),
    responseModel: reported?.model.slice(0, 256) || null,
    stream: stream === 'true',
    status: response?.responseCode ?? 0,
    durationMs: Math.round(millis(common.duration) ?? 0),
    firstByteMs: millis(common.timeToFirstUpstreamRxByte),
    trace: readTraceparent(request?.requestHeaders.traceparent),
    usageStatus: reported ? statusOf(reported, usage) : 'absent',
    usage: usage ?? null,
    budgets: budgets ? budgets.split(',').map(decodeURIComponent) : [],
    // The only client of a provider's listener is the proxy itself, which goes when its own client does, or for lack of time.
    errorType: errorTypeOf(entry)?.replace('client_disconnected', 'given_up') ?? null,
    ...(pick && { pick }),
  };
}

const isOperation = (name: string): boolean => aiOperations.some((operation) => operation === name);

function tokenUsageOf({ commonProperties }: HTTPAccessLogEntry): TokenUsage | undefined {
  const reported = commonProperties?.metadata?.typedFilterMetadata['envoy.ai.token_usage'];
  return reported && fromBinary(TokenUsageSchema, reported.value);
}

/** Undefined unless both counts were reported: a partial bill is no bill. */
function usageOf({ inputTokens, outputTokens, inputTokenDetails, outputTokenDetails }: TokenUsage): Usage | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    input: count(inputTokens),
    output: count(outputTokens),
    cached: count(inputTokenDetails?.cachedTokens),
    cacheWrite: count(inputTokenDetails?.cacheCreationTokens),
    reasoning: count(outputTokenDetails?.reasoningTokens),
  };
}

/** No model has reported more than this. A server that claims more is wrong, and sums must stay whole numbers. */
const maxTokens = 1_000_000_000;

const count = (value: bigint | undefined): number => Math.min(maxTokens, Number(value ?? 0n));

function statusOf({ extractionStatus }: TokenUsage, usage: Usage | undefined): UsageStatus {
  if (extractionStatus === Extraction.COMPLETE) return 'complete';
  if (extractionStatus === Extraction.PARTIAL) return 'partial';
  return usage ? 'partial' : 'failed';
}

/** OpenTelemetry's error.type: the status where the answer has one that says so, else what broke. */
function errorTypeOf({ response, commonProperties }: HTTPAccessLogEntry): string | null {
  const flags = commonProperties?.responseFlags;
  if (flags?.rateLimited) return 'rate_limited';
  if (flags?.upstreamRequestTimeout || flags?.streamIdleTimeout) return 'timeout';
  if (flags?.downstreamConnectionTermination) return 'client_disconnected';
  if (response?.responseCodeDetails.startsWith('upstream_reset')) return 'upstream_reset';
  if (flags?.upstreamConnectionFailure) return 'upstream_connect';
  const status = response?.responseCode ?? 0;
  return status >= 400 || status === 0 ? String(status) : null;
}
