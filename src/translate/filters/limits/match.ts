import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HeaderMatcherSchema, QueryParameterMatcherSchema, RateLimit_ActionSchema } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import { stringMatcher } from '../../resource/index.ts';

export type Action = MessageInitShape<typeof RateLimit_ActionSchema>;
type HeaderMatcher = MessageInitShape<typeof HeaderMatcherSchema>;
type QueryMatcher = MessageInitShape<typeof QueryParameterMatcherSchema>;

/** An action, and the entry of a descriptor that it makes. A request for which it makes none does not count. */
export interface Step {
  readonly action: Action;
  /** Without a value: each value has a bucket of its own. */
  readonly entry: { readonly key: string; readonly value?: string };
}

/** All of them hold for the requests that count. `entries`: what they make, in place of entries of their own; at least ir.comparisonsOf many. */
export function matchSteps(match: ir.LimitMatch, entries: readonly ir.LimitEntry[] = []): Step[] {
  return comparisons(match).map((comparison, at) => stepOf(comparison, entries[at]));
}

/** What is compared, and how its entry is called where nothing else is said. */
interface Comparison {
  readonly key: string;
  readonly action: (names: Names) => NonNullable<Action['actionSpecifier']>;
}

function comparisons({
  methods,
  path,
  headers = [],
  queryParams = [],
  include,
  exclude,
}: ir.LimitMatch): readonly Comparison[] {
  const byHeaders = [
    ...(methods ? [inHeader(':method', { kind: 'regex', value: methods.join('|') })] : []),
    ...(path ? [inHeader(':path', pathWithQuery(path))] : []),
    ...headers.map(({ name, match }) => inHeader(name, match)),
  ];
  return [
    ...(byHeaders.length > 0 ? [{ key: 'h', action: (names: Names) => headersAction(names, byHeaders) }] : []),
    ...(queryParams.length > 0
      ? [{ key: 'q', action: (names: Names) => queryAction(names, queryParams.map(inQuery)) }]
      : []),
    ...(include ? [fromNetworks('in', include, false)] : []),
    ...(exclude ? [fromNetworks('out', exclude, true)] : []),
  ];
}

interface Names {
  readonly descriptorKey: string;
  readonly descriptorValue: string;
}

const matched = '1';

function stepOf({ key: own, action }: Comparison, { key, value }: ir.LimitEntry = { key: own, value: matched }): Step {
  return { action: { actionSpecifier: action({ descriptorKey: key, descriptorValue: value }) }, entry: { key, value } };
}

const headersAction = (names: Names, headers: HeaderMatcher[]) => ({
  case: 'headerValueMatch' as const,
  value: { ...names, headers },
});

const queryAction = (names: Names, queryParameters: QueryMatcher[]) => ({
  case: 'queryParameterValueMatch' as const,
  value: { ...names, queryParameters },
});

/** `:path` has the query too. Envoy compares whole values. Paths that servers read in several ways count as well, since any of them may be meant. */
function pathWithQuery(path: ir.PathMatch): ir.ValueMatch {
  const paths = [ir.withPathParameters(path).value, ir.ambiguousPath.value];
  return { kind: 'regex', value: `(?:${paths.join('|')})(?:\\?.*)?` };
}

const inHeader = (name: string, match: ir.ValueMatch | undefined): HeaderMatcher => ({
  name,
  headerMatchSpecifier: match
    ? { case: 'stringMatch', value: stringMatcher(match) }
    : { case: 'presentMatch', value: true },
});

const inQuery = ({ name, match }: ir.NamedMatch | ir.NamedPresence): QueryMatcher => ({
  name,
  queryParameterMatchSpecifier: match
    ? { case: 'stringMatch', value: stringMatcher(match) }
    : { case: 'presentMatch', value: true },
});

const fromNetworks = (key: string, networks: readonly ir.Cidr[], invertMatch: boolean): Comparison => ({
  key,
  action: (names) => ({
    case: 'remoteAddressMatch',
    value: {
      ...names,
      addressMatcher: {
        ranges: networks.map(({ address, prefixLength }) => ({ addressPrefix: address, prefixLen: prefixLength })),
        invertMatch,
      },
    },
  }),
});
