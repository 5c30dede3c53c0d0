/** What names of listeners within the proxy begin with. No client can connect to them from outside. */
export const innerListenerPrefix = 'ai/';

/** Name of a listener of Envoy that stands in for another one while it is looked for what Envoy rejects in that; it binds no port. */
export const probeListener = 'gatewright/probe';

/** What the name of a listener begins with, `PROTOCOL/PORT`; Envoy itself does not know what a listener is for. */
export const protocolOfListener = (name: string): string => name.split('/', 1)[0] ?? '';
