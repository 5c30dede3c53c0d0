import { RE2JS } from '@bufbuild/re2';
import type { ObjectByKind } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import type { Fault } from './condition.ts';

type RuleSpec = NonNullable<NonNullable<ObjectByKind['HTTPRoute']['spec']>['rules']>[number];
export type MatchSpec = NonNullable<RuleSpec['matches']>[number];

/** The matches of a rule, or what is wrong with one of them. A rule without matches matches everything. */
export function matchesOf(rule: RuleSpec): { readonly matches: readonly ir.RouteMatch[] } | { readonly fault: Fault } {
  const specs = rule.matches && rule.matches.length > 0 ? rule.matches : [{}];
  for (const spec of specs) {
    const fault = regexFault(spec);
    if (fault) return { fault };
  }
  return { matches: specs.map(matchOf) };
}

function matchOf({ path, method, headers = [], queryParams = [] }: MatchSpec): ir.RouteMatch {
  return {
    path: pathOf(path),
    method,
    headers: firstOfEachName(
      headers.map(({ name, ...rest }) => ({ name: name.toLowerCase(), match: valueMatch(rest) })),
    ),
    queryParams: firstOfEachName(queryParams.map(({ name, ...rest }) => ({ name, match: valueMatch(rest) }))),
  };
}

function pathOf(path: MatchSpec['path']): ir.PathMatch {
  const { type = 'PathPrefix', value = '/' } = path ?? {};
  if (type === 'Exact') return { kind: 'exact', value };
  if (type === 'RegularExpression') return { kind: 'regex', value };
  return { kind: 'prefix', value: value === '/' ? value : value.replace(/\/+$/, '') || '/' };
}

const valueMatch = ({ type, value }: { type?: string; value: string }): ir.ValueMatch =>
  type === 'RegularExpression' ? { kind: 'regex', value } : { kind: 'exact', value };

/** Of entries with an equivalent name only the first counts. Source: HTTPHeaderMatch.name, HTTPQueryParamMatch.name. */
const firstOfEachName = (entries: readonly ir.NamedMatch[]): ir.NamedMatch[] =>
  entries.filter(({ name }, index) => entries.findIndex((other) => other.name === name) === index);

/**
 * Envoy refuses a whole RouteConfiguration for one regular expression that RE2 cannot compile, so each one is compiled
 * here first, by the same rules.
 */
function regexFault({ path, headers = [], queryParams = [] }: MatchSpec): Fault | undefined {
  const candidates = [
    ...(path ? [{ where: 'path', ...path }] : []),
    ...headers.map((entry) => ({ ...entry, where: `header ${entry.name}` })),
    ...queryParams.map((entry) => ({ ...entry, where: `query parameter ${entry.name}` })),
  ];
  for (const { where, type, value } of candidates) {
    const wrong = type === 'RegularExpression' ? compileFault(value ?? '') : undefined;
    if (wrong) {
      const message = `the regular expression ${JSON.stringify(value)} of the ${where} match is not RE2 (${wrong}): lookarounds and backreferences are not available`;
      return { reason: 'UnsupportedValue', message };
    }
  }
  return undefined;
}

function compileFault(pattern: string): string | undefined {
  try {
    new RE2JS(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
