import type { SpanResult } from '../../spans/index.ts';
import type { MetricSet } from '../../telemetry/index.ts';

/** What one service was asked, in the words of OpenTelemetry's semantic conventions for generative AI. */
export interface AiOperation {
  readonly operation: string;
  readonly provider: string;
  /** Of the AIServices' own lists, for what clients write is without number. */
  readonly model: string;
  /** Undefined: it went well. */
  readonly errorType: string | undefined;
  readonly seconds: number;
  /** Until the first of an answer in pieces came; undefined: it is none, or none came. */
  readonly firstChunkSeconds: number | undefined;
  /** Undefined: nothing is known of it. */
  readonly tokens: { readonly input: number; readonly output: number } | undefined;
}

/** Source: OpenTelemetry, gen_ai.client.token.usage, .operation.duration and .operation.time_to_first_chunk, with their buckets. */
export function aiMetrics(metrics: MetricSet) {
  const standard = true;
  const labels = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;
  const tokens = metrics.histogram('gen_ai_client_token_usage', {
    help: 'Tokens used by one model request.',
    labels: [...labels, 'gen_ai_token_type'],
    buckets: Array.from({ length: 14 }, (_, power) => 4 ** power),
    standard,
  });
  const duration = metrics.histogram('gen_ai_client_operation_duration_seconds', {
    help: 'Duration of one model request.',
    labels: [...labels, 'error_type'],
    buckets: Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power),
    standard,
  });
  const firstChunk = metrics.histogram('gen_ai_client_operation_time_to_first_chunk_seconds', {
    help: 'Time to the first streamed chunk.',
    labels,
    buckets: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    standard,
  });
  const spans = metrics.counter('ai_spans_total', {
    help: 'AI request spans, by outcome.',
    labels: ['result'],
  });
  const store = metrics.observedGauge('ai_usage_store_connected', {
    help: 'Whether the database of `aiUsage` answered the last time: 1 or 0. Not there without one.',
  });
  return {
    readStore(isConnected: () => boolean) {
      store.readBy(() => (isConnected() ? 1 : 0));
    },
    asked({ operation, provider, model, errorType, seconds, firstChunkSeconds, tokens: used }: AiOperation) {
      const of = { gen_ai_operation_name: operation, gen_ai_provider_name: provider, gen_ai_request_model: model };
      duration.observe({ ...of, error_type: errorType ?? '' }, seconds);
      if (firstChunkSeconds !== undefined) firstChunk.observe(of, firstChunkSeconds);
      if (!used) return;
      tokens.observe({ ...of, gen_ai_token_type: 'input' }, used.input);
      tokens.observe({ ...of, gen_ai_token_type: 'output' }, used.output);
    },
    spans: (result: SpanResult, count: number) => spans.inc({ result }, count),
  };
}
