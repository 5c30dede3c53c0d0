import type fc from 'fast-check';
import type { AnyObject } from '../../../support/world.ts';

export type WorldName = 'anywhere' | 'streams' | 'experimental' | 'models' | 'sets' | 'fleets' | 'access' | 'traffic';

/** What a kind has in each world: its objects there, and how often one of them is drawn. */
export type Shares = Partial<
  Readonly<Record<WorldName, { readonly arbitrary: fc.Arbitrary<AnyObject>; readonly weight: number }>>
>;

export const shares = (of: Shares): Shares => of;
