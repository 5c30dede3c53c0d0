import type * as ir from '../../../ir/index.ts';
import type { ChainKind } from '../../resource/index.ts';

/** A change of a chain fills all of its buckets again, so no access policy is in the same chain. */
export const phases: Readonly<Record<ir.LimitPhase, { readonly chain: ChainKind; readonly name: string }>> = {
  beforeAuth: { chain: 'entry', name: 'guard' },
  afterAuth: { chain: 'traffic', name: 'limits' },
};

/** The filter chain that has the buckets of a phase. */
export const limitChain = (phase: ir.LimitPhase): ChainKind => phases[phase].chain;
