import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type HeaderMatcherSchema,
  type QueryParameterMatcherSchema,
  type RouteMatch,
  RouteMatchSchema,
} from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import { millionths, stringMatcher } from '../resource/index.ts';

interface MatchOptions {
  /** Of a million requests those up to this one. Default: all. */
  readonly upToMillionths?: number | undefined;
  /** Calls of gRPC-Web are calls, too. */
  readonly takesGrpcWeb: boolean;
  /** Requests without a path. Default: false. */
  readonly opensTunnel?: boolean;
  /** Only those that ask for a change to a protocol other than these. */
  readonly upgradesBut?: readonly string[];
}

/** One match of a route. Envoy leaves the query out of path comparisons by itself. */
export const translateMatch = (
  { path, method, headers, queryParams, grpc, cookies = [] }: ir.RouteMatch,
  { upToMillionths, takesGrpcWeb, opensTunnel = false, upgradesBut }: MatchOptions,
): RouteMatch =>
  create(RouteMatchSchema, {
    ...(upToMillionths !== undefined && { runtimeFraction: millionths(upToMillionths) }),
    pathSpecifier: opensTunnel ? { case: 'connectMatcher', value: {} } : pathSpecifier(path),
    ...(grpc && !takesGrpcWeb && { grpc: {} }),
    headers: [
      ...(grpc && takesGrpcWeb ? [headerMatcher('content-type', { kind: 'regex', value: anyGrpc })] : []),
      ...(method === undefined ? [] : [headerMatcher(':method', { kind: 'exact', value: method })]),
      ...headers.map(({ name, match }) => headerMatcher(name, match)),
      ...(upgradesBut ? [upgradeBut(upgradesBut)] : []),
    ],
    queryParameters: queryParams.map(({ name, match }) => queryMatcher(name, match)),
    cookies: cookies.map(({ name, match }) => ({ name, stringMatch: stringMatcher(match) })),
  });

/** As Envoy's own match has it, and with the types of gRPC-Web. */
const anyGrpc = 'application/grpc(-web(-text)?)?([+;].*)?';

/** `path_separated_prefix` is the Gateway API's prefix by segments; `/` is everything, and Envoy rejects it there. */
function pathSpecifier({ kind, value }: ir.PathMatch) {
  if (kind === 'exact') return { case: 'path' as const, value };
  if (kind === 'regex') return { case: 'safeRegex' as const, value: { regex: value } };
  return value === '/' ? { case: 'prefix' as const, value } : { case: 'pathSeparatedPrefix' as const, value };
}

const headerMatcher = (name: string, match: ir.ValueMatch): MessageInitShape<typeof HeaderMatcherSchema> => ({
  name,
  headerMatchSpecifier: { case: 'stringMatch', value: stringMatcher(match) },
});

/** A request without the header does not match. */
const upgradeBut = (protocols: readonly string[]) => ({
  ...headerMatcher('upgrade', { kind: 'regex', value: `(?i)(${protocols.map(ir.literalPattern).join('|')})` }),
  invertMatch: true,
});

const queryMatcher = (name: string, match: ir.ValueMatch): MessageInitShape<typeof QueryParameterMatcherSchema> => ({
  name,
  queryParameterMatchSpecifier: { case: 'stringMatch', value: stringMatcher(match) },
});
