import type * as ir from '../../ir/index.ts';
import type { TableContent } from '../filters/index.ts';
import { type EnvoyResource, isEncodable, type LeftOut, type Origin } from '../resource/index.ts';
import { accessOrigins, guardsClosed } from './closed-demands.ts';
import { translateChains } from './filter-chain.ts';
import { limitOrigins, limitsWithout } from './limit-origins.ts';
import type { SlotsOfTable } from './slot-lists.ts';
import { chainKinds } from './slots-of-chain.ts';
import { trafficOrigins, trafficWithout } from './traffic-origins.ts';

type Table = TableContent & Pick<ir.RouteTable, 'id'>;

/** What was made of a table, and parts of policies that cannot be encoded. */
export interface EncodableChains {
  readonly resources: readonly EnvoyResource[];
  readonly leftOut?: LeftOut;
}

/**
 * The filter chains of a table without what cannot be encoded. As with what proxies reject, a policy of access then lets no request in, and a
 * bucket or a filter is left out.
 */
export function encodableChains(table: Table, used: SlotsOfTable, modules = false): EncodableChains {
  try {
    return { resources: translateChains(table, used, modules) };
  } catch (error) {
    const all = originsOf(table);
    const keys = new Set(all.map(({ key }) => key));
    const fails = ({ key }: Origin): boolean =>
      !isEncodable(() => translateChains(tableWithout(table, keys.difference(new Set([key]))), used, modules));
    const origins = all.filter(fails);
    const rejected = new Set(origins.map(({ key }) => key));
    return { resources: translateChains(tableWithout(table, rejected), used, modules), leftOut: { origins, error } };
  }
}

const noLists = new Map();

const originsOf = ({ access, traffic, limits }: Table): readonly Origin[] => [
  ...accessOrigins(access),
  ...chainKinds.flatMap((kind) => [
    ...trafficOrigins(kind, traffic),
    ...limitOrigins({ kind, table: limits, lists: noLists }),
  ]),
];

function tableWithout(table: Table, keys: ReadonlySet<string>): Table {
  const { access } = table;
  const traffic = trafficWithout(table.traffic, keys);
  const limits = limitsWithout(table.limits, keys);
  return {
    ...table,
    ...(access && { access: { ...access, demands: guardsClosed(access, [], keys).demands } }),
    ...(traffic && { traffic }),
    ...(limits && { limits }),
  };
}
