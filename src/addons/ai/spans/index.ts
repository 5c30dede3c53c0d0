/** Spans of what services were asked. */
export { SpanExporter, type SpanExporterOptions } from './span-exporter.ts';
export { readTraceparent, type TraceContext } from './trace-context.ts';
