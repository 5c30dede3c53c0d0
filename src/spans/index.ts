/** Spans of OpenTelemetry: their form, and how they are sent. Knows nothing of what they are about. */
export { attributes, epochNanos, type SpanValue } from './attributes.ts';
export { isRecorded } from './sampling.ts';
export { SpanExporter, type SpanResult } from './span-exporter.ts';
export { readTraceparent, type TraceContext } from './trace-context.ts';
