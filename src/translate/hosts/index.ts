/** SRDS: virtual hosts and their scopes, how large hosts are cut, and how a request falls through from scope to scope. */

export type { HostChange } from './encodable-hosts.ts';
export { earlyScope, fallthroughFilter, scopedRoutes, scopeHeader } from './fallthrough.ts';
export { hostCheckReply } from './host-check.ts';
export { HostScopes } from './host-scopes.ts';
export { listenerProvenance, originOf } from './provenance.ts';
export { translateFallbackScope } from './scope.ts';
