import type * as ir from '../../ir/index.ts';

/** What one level demands of a request. */
export interface LevelDemands {
  readonly level: ir.AccessLevel;
  readonly access: ir.Access;
  /** Parts that lower levels switch off here. */
  readonly overridden: readonly ir.AccessPart[];
}

/** What of a snapshot decides who may come in: the table that a request is looked up in, and the rule that takes it. */
export interface AccessSource {
  readonly table: ir.TableAccess | undefined;
  /** Undefined: no rule takes the request, or nothing is demanded by policies of routes. */
  readonly rule: ir.RouteAccess | undefined;
}

/** A level without one does not compile. */
const levels: {
  readonly [L in ir.AccessLevel]: (source: AccessSource) => Omit<LevelDemands, 'level'> | undefined;
} = {
  gateway: ({ table, rule }) =>
    table && { access: table, overridden: table.overridable.filter((part) => rule?.overrides?.includes(part)) },
  route: ({ rule }) => rule?.route && { access: rule.route, overridden: [] },
  rule: ({ rule }) => rule?.rule && { access: rule.rule, overridden: [] },
};

/** The levels that demand something, in the order in which requests meet them. */
export const demandsByLevel = (source: AccessSource, all: readonly ir.AccessLevel[]): LevelDemands[] =>
  all.flatMap((level) => {
    const demands = levels[level](source);
    return demands ? [{ level, ...demands }] : [];
  });

/** Whether a level demands a part: what is closed is demanded, too. */
export const demandsPart = ({ access }: Pick<LevelDemands, 'access'>, part: ir.AccessPart): boolean =>
  access[part] !== undefined || (access.closed ?? []).includes(part);
