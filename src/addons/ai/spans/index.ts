/** Spans of what services were asked. */
export { SpanExporter } from './span-exporter.ts';
