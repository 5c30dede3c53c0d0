import * as ir from '../../ir/index.ts';
import type { ChainDemand, Origin } from '../resource/index.ts';

/*
 * What proxies reject of a policy lets no request in, where it would otherwise be left out.
 */

/** Policies whose demands are in a resource. What is of no one policy lets no request in, and no client rejects that. */
export const accessOrigins = (access: ir.TableGuards | undefined): readonly Origin[] =>
  [...Map.groupBy(access?.demands ?? [], ({ source }) => source)].flatMap(([key, demands]) =>
    key === '' ? [] : { kind: 'access' as const, key, digest: ir.digestOf(demands) },
  );

/** The same while clients reject what it demands: all of its parts let no request in. */
const closedDemand = (demand: ir.TableAccess): ir.TableAccess => {
  const { level, source, hostnames, closed } = demand;
  return {
    level,
    source,
    overridable: [],
    ...(hostnames && { hostnames }),
    closed: ir.accessParts.filter((part) => demand[part] !== undefined || closed?.includes(part)),
  };
};

export const closedGuards = (guards: ir.TableGuards): ir.TableGuards => ({
  ...guards,
  demands: guards.demands.map(closedDemand),
});

/** What a table demands without the content of these policies, and the same as its chains have it. */
export function guardsClosed(
  access: ir.TableGuards | undefined,
  own: readonly ChainDemand[],
  sources: ReadonlySet<string>,
): { readonly demands: readonly ir.TableAccess[]; readonly own: readonly ChainDemand[] } {
  const demands = (access?.demands ?? []).map((demand) => (sources.has(demand.source) ? closedDemand(demand) : demand));
  return { demands, own: own.map((each, index) => withDemand(each, demands[index])) };
}

const withDemand = (each: ChainDemand, demand: ir.TableAccess | undefined): ChainDemand =>
  demand ? { ...each, guards: { ...each.guards, demands: [demand] } } : each;
