import { wildcardsAbove } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';

/** What one level demands of a request. */
export interface LevelDemands {
  readonly level: ir.AccessLevel;
  readonly access: ir.Access;
  /** Parts that lower levels switch off here. */
  readonly overridden: readonly ir.AccessPart[];
  /** Key of the policy that is behind it. */
  readonly source?: string;
}

/** What of a snapshot decides who may come in: what the table demands that a request is looked up in, and the rule that takes it. */
export interface AccessSource {
  readonly table: readonly ir.TableAccess[];
  /** Undefined: no rule takes the request, or nothing is demanded by policies of routes. */
  readonly rule: ir.RouteAccess | undefined;
}

/** A level without one does not compile. */
const levels: {
  readonly [L in ir.AccessLevel]: (source: AccessSource) => Omit<LevelDemands, 'level'> | undefined;
} = {
  gateway: ofTable('gateway'),
  listenerSet: ofTable('listenerSet'),
  listener: ofTable('listener'),
  route: ({ rule }) => rule?.route && { access: rule.route, overridden: [] },
  rule: ({ rule }) => rule?.rule && { access: rule.rule, overridden: [] },
};

function ofTable(level: ir.TableLevel) {
  return ({ table, rule }: AccessSource): Omit<LevelDemands, 'level'> | undefined => {
    const access = table.find((demanded) => demanded.level === level);
    if (!access) return undefined;
    const overridden = ir.partsSwitchedOff(access, rule?.overrides ?? []);
    return { access, overridden, source: access.source };
  };
}

/** What a table demands of requests for which a virtual host was found. Of the listeners' hostnames the most specific one that covers it counts. */
export function demandsOnHost(guards: ir.TableGuards | undefined, host: string | undefined): readonly ir.TableAccess[] {
  const { demands = [], hostnames = [] } = guards ?? {};
  const own =
    host === undefined ? undefined : [host, ...wildcardsAbove(host)].find((name) => listed(name, hostnames, demands));
  return demands.filter((demand) => demand.hostnames?.includes(own ?? '') ?? true);
}

const listed = (name: string, hostnames: readonly string[], demands: readonly ir.TableAccess[]): boolean =>
  hostnames.includes(name) || demands.some((demand) => demand.hostnames?.includes(name));

/** The levels that demand something, in the order in which requests meet them. */
export const demandsByLevel = (source: AccessSource, all: readonly ir.AccessLevel[]): LevelDemands[] =>
  all.flatMap((level) => {
    const demands = levels[level](source);
    return demands ? [{ level, ...demands }] : [];
  });

/** Whether a level demands a part: what is closed is demanded, too. */
export const demandsPart = ({ access }: Pick<LevelDemands, 'access'>, part: ir.AccessPart): boolean =>
  access[part] !== undefined || (access.closed ?? []).includes(part);
