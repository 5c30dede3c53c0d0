import type * as ir from '../../ir/index.ts';

/**
 * What orders the matches of all routes on one host. Source: HTTPRouteRule.matches and GRPCRouteRule.matches, on
 * precedence. A gRPC match takes gRPC requests only, so it may be tried before those of HTTPRoutes without a loss to them.
 */
export interface MatchRank {
  /** gRPC -2 and -1, exact 0, prefix 1, regular expression 2: the specification leaves the first and the last to us. */
  readonly pathKind: number;
  readonly pathLength: number;
  /** Characters of a gRPC method. */
  readonly methodLength?: number;
  readonly hasMethod: boolean;
  readonly headers: number;
  readonly queryParams: number;
}

const pathKinds = { exact: 0, prefix: 1, regex: 2 } as const;

export const rankOf = ({ path, method, headers, queryParams }: ir.RouteMatch): MatchRank => ({
  pathKind: pathKinds[path.kind],
  pathLength: path.value.length,
  hasMethod: method !== undefined,
  headers: headers.length,
  queryParams: queryParams.length,
});

/** Negative when `a` is tried before `b`. Ties are for the routes' age, name and order of writing. */
export function compareMatches(a: MatchRank, b: MatchRank): number {
  return (
    a.pathKind - b.pathKind ||
    b.pathLength - a.pathLength ||
    (b.methodLength ?? 0) - (a.methodLength ?? 0) ||
    Number(b.hasMethod) - Number(a.hasMethod) ||
    b.headers - a.headers ||
    b.queryParams - a.queryParams
  );
}
