import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import {
  OtlpSpan_SpanKind as Kind,
  type OtlpSpan,
  OtlpSpanSchema,
  OtlpStatus_StatusCode as StatusCode,
} from '../../../envoy/index.ts';
import type { ObjectByKind } from '../../../gateway-api/index.ts';
import { attributes, epochNanos, isRecorded, type SpanValue } from '../../../spans/index.ts';
import type { AttemptTrace } from '../data.ts';
import { operationName } from '../operation-name.ts';
import { modelOf } from '../prices.ts';

const defaultPort = 443;

/** Which API of OpenAI's was spoken, by aiOperations. Source: `openai.api.type`. */
const apiTypes: Readonly<Record<string, string>> = { chat: 'chat_completions', responses: 'responses' };

/**
 * The span of one service that was asked, whole: nothing of it changes later, and made again it is the same. Undefined where the trace is
 * not recorded. Source: OpenTelemetry, semantic conventions for generative client AI spans. What was said is in none.
 */
export function aiSpan(
  attempt: AttemptTrace,
  service: ObjectByKind['AIService'] | undefined,
  samplingPercent: number,
): OtlpSpan | undefined {
  const { id, trace = null, operation, model, at, durationMs, errorType, status } = attempt;
  const traceId = trace ? Buffer.from(trace.traceId, 'hex') : digest(id, 16);
  if (!(trace?.isSampled ?? isRecorded(traceId, samplingPercent))) return undefined;
  const asked = modelOf(service, model)?.as ?? model;
  return create(OtlpSpanSchema, {
    traceId,
    spanId: digest(`${id} ${attempt.service} ${at}`, 8),
    parentSpanId: trace ? Buffer.from(trace.parentId, 'hex') : new Uint8Array(),
    // Flags of W3C: sampled. And that we know, of the parent, that it is of another process.
    flags: trace ? 0x301 : 0x1,
    name: `${operationName(operation)} ${asked}`,
    kind: Kind.CLIENT,
    startTimeUnixNano: epochNanos(at),
    endTimeUnixNano: epochNanos(at) + epochNanos(durationMs),
    attributes: attributes({
      ...askedAttributes(attempt, service, asked),
      ...answeredAttributes(attempt),
      ...(errorType !== null && { 'error.type': errorType }),
      ...(status > 0 && { 'http.response.status_code': status }),
    }),
    ...(errorType !== null && { status: { code: StatusCode.ERROR } }),
  });
}

function askedAttributes(
  { operation, model, stream, route, service: key, node, pick }: AttemptTrace,
  service: ObjectByKind['AIService'] | undefined,
  asked: string,
): Record<string, SpanValue> {
  const { provider = 'unknown', endpoint } = service?.spec ?? {};
  const apiType = provider === 'openai' ? apiTypes[operation] : undefined;
  return {
    'gen_ai.operation.name': operationName(operation),
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': asked,
    ...(stream && { 'gen_ai.request.stream': true }),
    ...(apiType !== undefined && { 'openai.api.type': apiType }),
    ...(endpoint && { 'server.address': endpoint.hostname, 'server.port': endpoint.port ?? defaultPort }),
    ...(pick && { 'gatewright.pool': pick.pool, 'gatewright.pool.pick': pick.outcome }),
    ...(pick?.endpoint && { 'gatewright.pool.endpoint': pick.endpoint }),
    ...(model !== asked && { 'gatewright.ai.asked_model': model }),
    'gatewright.ai.service': key,
    'gatewright.route': route,
    'gatewright.node': node,
  };
}

/** Leaves out attributes that were not reported; of the other counts, only those above zero. */
function answeredAttributes({
  responseModel,
  usage,
  usageStatus,
  stream,
  firstByteMs = null,
  cost,
}: AttemptTrace): Record<string, SpanValue> {
  return {
    ...(responseModel !== null && { 'gen_ai.response.model': responseModel }),
    ...(stream && firstByteMs !== null && { 'gen_ai.response.time_to_first_chunk': { double: firstByteMs / 1000 } }),
    ...(usage && { 'gen_ai.usage.input_tokens': usage.input, 'gen_ai.usage.output_tokens': usage.output }),
    ...(usage && usage.cached > 0 && { 'gen_ai.usage.cache_read.input_tokens': usage.cached }),
    ...(usage && usage.cacheWrite > 0 && { 'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite }),
    ...(usage && usage.reasoning > 0 && { 'gen_ai.usage.reasoning.output_tokens': usage.reasoning }),
    'gatewright.ai.usage_status': usageStatus,
    ...(cost !== null && { 'gatewright.ai.cost_usd': { double: cost / 1e9 } }),
  };
}

const digest = (text: string, bytes: number): Buffer => createHash('sha256').update(text).digest().subarray(0, bytes);
