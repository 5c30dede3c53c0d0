import type { HostRules } from '../egress/index.ts';
import type { AddressGuard, TlsOptions } from '../outgoing/index.ts';

/** What was had before of an image, by digest: of bytes whose digest is another, nothing is known. */
export interface Blobs {
  find(digest: string): Promise<Buffer | undefined>;
  keep(digest: string, bytes: Buffer): Promise<void>;
}

/** By whom, and under which rules, a registry is asked. */
export interface RegistryClient {
  readonly guard: AddressGuard;
  readonly hosts: Pick<HostRules, 'clusterDomain'>;
  readonly tls: TlsOptions;
  /** `USER:PASSWORD`; undefined: it is asked without any. */
  readonly credentials?: string | undefined;
  /** Asked before the registry; undefined: nothing is kept. */
  readonly kept?: Blobs | undefined;
  /** Ends the whole, redirects included. */
  readonly signal: AbortSignal;
}
