import type * as ir from '../../ir/index.ts';
import { sameFragment } from './fragments.ts';

/** What a table has beside its hosts, which are counted by themselves. */
export type TableOwn = Pick<ir.RouteTable, 'access' | 'limits'>;

export const ownOf = ({ access, limits }: TableOwn): TableOwn => ({
  ...(access && { access }),
  ...(limits && { limits }),
});

export const isSameTable = (one: TableOwn, other: TableOwn): boolean =>
  sameFragment(one.access, other.access) && sameFragment(one.limits, other.limits);
