import type { SpanResult } from '../../spans/index.ts';
import type { MetricSet } from '../../telemetry/index.ts';

/** What became of the spans of this control plane. */
export function tracingMetrics(metrics: MetricSet) {
  const spans = metrics.counter('spans_total', {
    help: 'Spans of the control plane, by outcome.',
    labels: ['result'],
  });
  return { spans: (result: SpanResult, count: number) => spans.inc({ result }, count) };
}
