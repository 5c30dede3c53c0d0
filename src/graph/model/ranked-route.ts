import type * as ir from '../../ir/index.ts';
import type { MatchRank } from './precedence.ts';

/** One match of a route, ready to be placed on hosts. */
export interface RankedRoute {
  readonly route: ir.Route;
  readonly rank: MatchRank;
}
