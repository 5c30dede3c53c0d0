/** Where names lead that Envoy connects to: its name server, which leaves out what must not be reached. */
export { DnsGuard, type DnsGuardOptions } from './dns-guard.ts';
export type { RejectedName } from './rejected-names.ts';
