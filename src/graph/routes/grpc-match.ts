import type { ObjectByKind } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import type { ConditionFault, MatchRank } from '../model/index.ts';
import { type MatchSpec, matchesOf } from './match.ts';

export type GrpcRuleSpec = NonNullable<NonNullable<ObjectByKind['GRPCRoute']['spec']>['rules']>[number];
type GrpcMatchSpec = NonNullable<GrpcRuleSpec['matches']>[number];

/** One match with what decides when it is tried. */
export interface RankedMatch {
  readonly match: ir.RouteMatch;
  readonly rank: MatchRank;
}

/** The matches of a gRPC rule, or what is wrong with one of them. A rule without matches takes every gRPC request. */
export function grpcMatchesOf(
  rule: GrpcRuleSpec,
): { readonly matches: readonly RankedMatch[] } | { readonly fault: ConditionFault } {
  const specs = rule.matches && rule.matches.length > 0 ? rule.matches : [{}];
  const found = matchesOf({ matches: specs.map(asHttp) });
  if ('fault' in found) return found;
  return {
    matches: found.matches.map((match, index) => ({
      match: { ...match, grpc: true },
      rank: rankOf(specs[index] as GrpcMatchSpec, match),
    })),
  };
}

/** A gRPC call is a POST to `/SERVICE/METHOD`. Source: gRPC over HTTP/2, Path. */
const asHttp = ({ method, headers }: GrpcMatchSpec): MatchSpec => ({
  path: pathOf(method ?? {}),
  ...(headers && { headers }),
});

const any = '[^/]+';

function pathOf({ type = 'Exact', service, method }: NonNullable<GrpcMatchSpec['method']>): MatchSpec['path'] {
  if (type === 'RegularExpression') return regex(service && `(?:${service})`, method && `(?:${method})`);
  if (service && method) return { type: 'Exact', value: `/${service}/${method}` };
  if (service) return { type: 'PathPrefix', value: `/${service}` };
  return method ? regex(undefined, ir.literalPattern(method)) : { type: 'PathPrefix', value: '/' };
}

const regex = (service: string | undefined, method: string | undefined): MatchSpec['path'] => ({
  type: 'RegularExpression',
  value: `/${service || any}/${method || any}`,
});

/** Source: GRPCRouteRule.matches, on precedence. */
const rankOf = ({ method }: GrpcMatchSpec, { headers }: ir.RouteMatch): MatchRank => ({
  // What is written out goes before patterns, and before what asks for nothing.
  pathKind: method && method.type !== 'RegularExpression' ? -2 : -1,
  pathLength: method?.service?.length ?? 0,
  methodLength: method?.method?.length ?? 0,
  hasMethod: false,
  headers: headers.length,
  queryParams: 0,
});
