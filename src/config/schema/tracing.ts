import { spanReceiver } from './span-receiver.ts';

/** Where spans of the control plane's own work go. */
export const tracing = spanReceiver({
  sampled: 'changes, and of admin requests without a trace context',
  serviceName: 'gatewright-control-plane',
}).describe('Spans of the control plane’s own work: changes on their way to proxies, and requests of the admin API.');
