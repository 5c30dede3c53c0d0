import type { HostRules } from '../egress/index.ts';
import type { AddressGuard, TlsOptions } from '../outgoing/index.ts';

/** By whom, and under which rules, a registry is asked. */
export interface RegistryClient {
  readonly guard: AddressGuard;
  readonly hosts: Pick<HostRules, 'clusterDomain'>;
  readonly tls: TlsOptions;
  /** `USER:PASSWORD`; undefined: it is asked without any. */
  readonly credentials?: string | undefined;
  /** Ends the whole, redirects included. */
  readonly signal: AbortSignal;
}
