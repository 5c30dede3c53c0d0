import { spanReceiver } from './span-receiver.ts';

/** Where spans of AI requests go. */
export const aiSpans = spanReceiver({
  sampled: 'requests without a trace context',
  serviceName: 'gatewright',
}).describe('Spans of requests to models, with OpenTelemetry’s names for generative AI.');
