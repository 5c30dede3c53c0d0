import type * as ir from '../../../ir/index.ts';
import type { ChainKind } from '../../resource/index.ts';

/** A change of a chain fills all of its buckets again, so those behind the access policies are in the other chain. */
export const phases: Readonly<Record<ir.LimitPhase, { readonly chain: ChainKind; readonly name: string }>> = {
  beforeAuth: { chain: 'access', name: 'guard' },
  afterAuth: { chain: 'traffic', name: 'limits' },
};

/** The filter chain that has the buckets of a phase. */
export const limitChain = (phase: ir.LimitPhase): ChainKind => phases[phase].chain;
