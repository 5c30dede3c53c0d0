import { chainPrefixes, isGuards, tableOfChain } from '../../contracts/index.ts';
import type { ChainDemand, EnvoyResource } from '../../translate/index.ts';

/** Where chains of the group are found. */
export interface ChainSource {
  /** The chain as it is to be. */
  readonly chain: (name: string) => EnvoyResource | undefined;
  /** By digest, what chains demanded before. */
  readonly demand: (digest: string) => ChainDemand | undefined;
}

/** What is published no more: beside the chain as it was where requests wait. */
export const besideSteady = (name: string, source: ChainSource): EnvoyResource | undefined =>
  isGuards(name)
    ? source
        .chain(`${chainPrefixes.auth}${tableOfChain(name)}`)
        ?.slots?.steady?.()
        .slots?.beside?.()
        .find((beside) => beside.name === name)
    : undefined;
