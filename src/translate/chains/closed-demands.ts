import * as ir from '../../ir/index.ts';
import type { ChainDemand, Origin } from '../resource/index.ts';

/*
 * What proxies reject of a policy lets no request in, where it would otherwise be left out.
 */

/** What policies demand in a resource. What is of no one policy lets no request in, and no client rejects that. */
export const accessOrigins = (access: ir.TableGuards | undefined): readonly Origin[] =>
  keyed(access).flatMap(({ demand, key }) =>
    key === undefined ? [] : { kind: 'access' as const, key, digest: digestOf(demand) },
  );

/** Proxies reject a demand whatever its hosts are, which change with others. */
const digestOf = ({ hostnames: _, ...content }: ir.TableAccess): ir.Digest => ir.digestOf(content);

interface Keyed {
  readonly demand: ir.TableAccess;
  /** Undefined: it is of no one policy. */
  readonly key: string | undefined;
}

/** The key of each: the policy's own where it has one demand, else the demand's. What is at fault at one target must not close the others. */
function keyed(access: ir.TableGuards | undefined): readonly Keyed[] {
  const demands = access?.demands ?? [];
  const counts = new Map<string, number>();
  for (const { source } of demands) counts.set(source, (counts.get(source) ?? 0) + 1);
  return demands.map((demand) => {
    const { source, level, hostnames } = demand;
    if (source === '') return { demand, key: undefined };
    return { demand, key: counts.get(source) === 1 ? source : ir.demandKey(source, level, hostnames) };
  });
}

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

/** What a table demands without the content of these (by the keys of accessOrigins), and the same as its chains have it. */
export function guardsClosed(
  access: ir.TableGuards | undefined,
  own: readonly ChainDemand[],
  closed: ReadonlySet<string>,
): { readonly demands: readonly ir.TableAccess[]; readonly own: readonly ChainDemand[] } {
  const demands = keyed(access).map(({ demand, key }) =>
    key !== undefined && closed.has(key) ? closedDemand(demand) : demand,
  );
  return { demands, own: own.map((each, index) => withDemand(each, demands[index])) };
}

const withDemand = (each: ChainDemand, demand: ir.TableAccess | undefined): ChainDemand =>
  demand ? { ...each, guards: { ...each.guards, demands: [demand] } } : each;
