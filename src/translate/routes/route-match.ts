import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type HeaderMatcherSchema,
  type QueryParameterMatcherSchema,
  type RouteMatch,
  RouteMatchSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { millionths, stringMatcher } from '../resource/index.ts';

/** One match of a route, for all or some of its requests. Envoy leaves the query out of path comparisons by itself. */
export const translateMatch = (
  { path, method, headers, queryParams, grpc }: ir.RouteMatch,
  upToMillionths?: number,
): RouteMatch =>
  create(RouteMatchSchema, {
    ...(upToMillionths !== undefined && { runtimeFraction: millionths(upToMillionths) }),
    pathSpecifier: pathSpecifier(path),
    ...(grpc && { grpc: {} }),
    headers: [
      ...(method === undefined ? [] : [headerMatcher(':method', { kind: 'exact', value: method })]),
      ...headers.map(({ name, match }) => headerMatcher(name, match)),
    ],
    queryParameters: queryParams.map(({ name, match }) => queryMatcher(name, match)),
  });

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

const queryMatcher = (name: string, match: ir.ValueMatch): MessageInitShape<typeof QueryParameterMatcherSchema> => ({
  name,
  queryParameterMatchSpecifier: { case: 'stringMatch', value: stringMatcher(match) },
});
