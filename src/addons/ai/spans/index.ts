/** Spans of what services were asked. */
export { aiSpan } from './ai-span.ts';
