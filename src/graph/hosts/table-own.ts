import type * as ir from '../../ir/index.ts';
import { sameFragment } from './fragments.ts';

/** What a table has beside its hosts, which are counted by themselves. */
export type TableOwn = Pick<ir.RouteTable, 'access' | 'limits' | 'traffic'>;

export const ownOf = ({ access, limits, traffic }: TableOwn): TableOwn => ({
  ...(access && { access }),
  ...(limits && { limits }),
  ...(traffic && { traffic }),
});

export const isSameTable = (one: TableOwn, other: TableOwn): boolean =>
  sameFragment(one.access, other.access) &&
  sameFragment(one.limits, other.limits) &&
  sameFragment(one.traffic, other.traffic);

/** The same objects: what did not change stays as it is from snapshot to snapshot. */
export const hasSameOwn = (one: TableOwn, other: TableOwn): boolean =>
  one.access === other.access && one.limits === other.limits && one.traffic === other.traffic;
