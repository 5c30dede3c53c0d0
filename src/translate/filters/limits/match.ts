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

/** All of them hold for the requests that count. */
export function matchSteps({ methods, path, headers = [], queryParams = [], include, exclude }: ir.LimitMatch): Step[] {
  const byHeaders = [
    ...(methods ? [inHeader(':method', { kind: 'regex', value: methods.join('|') })] : []),
    ...(path ? [inHeader(':path', pathWithQuery(path))] : []),
    ...headers.map(({ name, match }) => inHeader(name, match)),
  ];
  return [
    ...(byHeaders.length > 0
      ? [step('h', (names) => ({ case: 'headerValueMatch', value: { ...names, headers: byHeaders } }))]
      : []),
    ...(queryParams.length > 0
      ? [
          step('q', (names) => ({
            case: 'queryParameterValueMatch',
            value: { ...names, queryParameters: queryParams.map(inQuery) },
          })),
        ]
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

const step = (key: string, action: (names: Names) => NonNullable<Action['actionSpecifier']>): Step => ({
  action: { actionSpecifier: action({ descriptorKey: key, descriptorValue: matched }) },
  entry: { key, value: matched },
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

const fromNetworks = (key: string, networks: readonly ir.Cidr[], invertMatch: boolean): Step =>
  step(key, (names) => ({
    case: 'remoteAddressMatch',
    value: {
      ...names,
      addressMatcher: {
        ranges: networks.map(({ address, prefixLength }) => ({ addressPrefix: address, prefixLen: prefixLength })),
        invertMatch,
      },
    },
  }));
