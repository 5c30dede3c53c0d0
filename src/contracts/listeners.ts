/** What names of listeners within the proxy begin with. No client can connect to them from outside. */
export const innerListenerPrefix = 'ai/';

/** Name of a listener of Envoy that stands in for another one while it is looked for what Envoy rejects in that; it binds no port. */
export const probeListener = 'gatewright/probe';
