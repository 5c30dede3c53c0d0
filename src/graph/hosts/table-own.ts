import type * as ir from '../../ir/index.ts';
import { sameFragment } from './fragments.ts';

/** What a table has beside its hosts, which are counted by themselves. */
export type TableOwn = Pick<ir.RouteTable, 'access' | 'limits' | 'traffic' | 'locates'>;

export const ownOf = ({ access, limits, traffic, locates }: TableOwn): TableOwn => ({
  ...(access && { access }),
  ...(limits && { limits }),
  ...(traffic && { traffic }),
  ...(locates && { locates }),
});

export const isSameTable = (one: TableOwn, other: TableOwn): boolean =>
  one.locates === other.locates &&
  sameFragment(one.access, other.access) &&
  sameFragment(one.limits, other.limits) &&
  sameFragment(one.traffic, other.traffic);

/** The same objects: what did not change stays as it is from snapshot to snapshot. */
export const hasSameOwn = (one: TableOwn, other: TableOwn): boolean =>
  one.access === other.access &&
  one.limits === other.limits &&
  one.traffic === other.traffic &&
  one.locates === other.locates;
