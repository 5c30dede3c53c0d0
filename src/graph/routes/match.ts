import type { ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import {
  type ConditionFault,
  compileFault,
  headerNameFault,
  largestRegexWeight,
  regexWeight,
  textFault,
} from '../model/index.ts';

type RuleSpec = NonNullable<NonNullable<ObjectByKind['HTTPRoute']['spec']>['rules']>[number];
export type MatchSpec = NonNullable<RuleSpec['matches']>[number];

/** The matches of a rule, or what is wrong with one of them. A rule without matches matches everything. */
export function matchesOf(
  rule: RuleSpec,
): { readonly matches: readonly ir.RouteMatch[] } | { readonly fault: ConditionFault } {
  const specs = rule.matches && rule.matches.length > 0 ? rule.matches : [{}];
  const fault = faultOf(rule, specs);
  if (fault) return { fault };
  return { matches: specs.map(matchOf) };
}

interface Judgement {
  readonly fault: ConditionFault | undefined;
}

const judged = new WeakMap<RuleSpec, Judgement>();
/** Of nearly all rules. */
const faultless: Judgement = { fault: undefined };

/** Judged once for each stored rule, for a route is resolved again whenever something changes that it refers to. */
function faultOf(rule: RuleSpec, specs: readonly MatchSpec[]): ConditionFault | undefined {
  const known = judged.get(rule);
  if (known) return known.fault;
  const fault = firstDefined(specs, textFaultOf) ?? weightFault(specs) ?? firstDefined(specs, regexFault);
  judged.set(rule, fault ? { fault } : faultless);
  return fault;
}

function firstDefined<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What most routes have, so that it is there once. Source: HTTPRouteRule.matches, the default. */
export const everyRequest: ir.RouteMatch = {
  path: { kind: 'prefix', value: '/' },
  method: undefined,
  headers: [],
  queryParams: [],
};

function matchOf({ path: spec, method, headers = [], queryParams = [] }: MatchSpec): ir.RouteMatch {
  const path = pathOf(spec);
  const isPlain = method === undefined && headers.length === 0 && queryParams.length === 0;
  if (isPlain && path.kind === 'prefix' && path.value === '/') return everyRequest;
  return {
    path,
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
  return { kind: 'prefix', value: withoutSlashes(value) || '/' };
}

/** Without those at its end; an expression would try again from each slash. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

const valueMatch = ({ type, value }: { type?: string; value: string }): ir.ValueMatch =>
  type === 'RegularExpression' ? { kind: 'regex', value } : { kind: 'exact', value };

/** Of entries with an equivalent name only the first counts. Source: HTTPHeaderMatch.name, HTTPQueryParamMatch.name. */
const firstOfEachName = (entries: readonly ir.NamedMatch[]): ir.NamedMatch[] =>
  entries.filter(({ name }, index) => entries.findIndex((other) => other.name === name) === index);

const longestQueryName = 1024;

/** Names and values that no proxy takes, and paths that cannot be compared by segments. */
function textFaultOf({ path, headers = [], queryParams = [] }: MatchSpec): ConditionFault | undefined {
  const queryName = queryParams.find(({ name }) => name === '' || Buffer.byteLength(name) > longestQueryName);
  const isPrefix = (path?.type ?? 'PathPrefix') === 'PathPrefix';
  const message = [
    ...headers.map(({ name }) => headerNameFault(name)),
    ...[...headers, ...queryParams].map(({ name, value }) => textFault(`the value of the match of ${name}`, value)),
    queryName && `a query parameter has a name of 1 to ${longestQueryName} bytes`,
    textFault('the path', path?.value),
    isPrefix && /[?#]/.test(path?.value ?? '')
      ? 'a path ends before ? or #: match the query by queryParams'
      : undefined,
  ].find((fault) => fault !== undefined);
  return message === undefined ? undefined : { reason: 'UnsupportedValue', message };
}

/**
 * Envoy rejects a whole RouteConfiguration for one regular expression that RE2 cannot compile, so each one is compiled
 * here first, by the same rules.
 */
function regexFault(spec: MatchSpec): ConditionFault | undefined {
  for (const { where, value } of expressionsOf(spec)) {
    const wrong = compileFault(value);
    if (wrong) {
      const message = `the regular expression ${JSON.stringify(value)} of the ${where} match ${wrong}`;
      return { reason: 'UnsupportedValue', message };
    }
  }
  return undefined;
}

function expressionsOf({ path, headers = [], queryParams = [] }: MatchSpec) {
  const candidates = [
    ...(path ? [{ where: 'path', ...path }] : []),
    ...headers.map((entry) => ({ ...entry, where: `header ${entry.name}` })),
    ...queryParams.map((entry) => ({ ...entry, where: `query parameter ${entry.name}` })),
  ];
  return candidates
    .filter(({ type }) => type === 'RegularExpression')
    .map(({ where, value = '' }) => ({ where, value }));
}

/** Found before any is compiled: that is what takes the time. */
function weightFault(specs: readonly MatchSpec[]): ConditionFault | undefined {
  const weight = specs
    .flatMap(expressionsOf)
    .map(({ value }) => regexWeight(value))
    .reduce((sum, one) => sum + one, 0);
  if (weight <= largestRegexWeight) return undefined;
  const message = `the regular expressions of the rule are too large: together they have about ${weight} steps, and may have ${largestRegexWeight}; repeat less in them, or divide the rule`;
  return { reason: 'UnsupportedValue', message };
}
