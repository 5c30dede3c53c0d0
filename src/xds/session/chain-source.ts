import type { ChainDemand, EnvoyResource } from '../../translate/index.ts';

/** Where chains of the group are found. */
export interface ChainSource {
  /** The chain as it is to be. */
  readonly chain: (name: string) => EnvoyResource | undefined;
  /** By digest, what chains demanded before. */
  readonly demand: (digest: string) => ChainDemand | undefined;
}
