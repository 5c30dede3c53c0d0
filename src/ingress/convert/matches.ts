import { RE2JS } from '@bufbuild/re2';
import type { Fields } from '../features/part.ts';
import { isShadowed, type PlacedLocation, type PlacedLocations } from '../model/locations.ts';
import { defaultUpstream } from '../model/upstreams.ts';
import { literalPath } from '../values/literal-path.ts';
import { orderedValues } from './expression-order.ts';

/** A path as a rule of ours has it. */
export interface PathRule {
  readonly match: { readonly type: 'Exact' | 'PathPrefix' | 'RegularExpression'; readonly value: string };
  readonly location: PlacedLocation;
  /** `/bar` of `/bar/`: clients are sent there. */
  readonly slash?: true;
  /** Why it is answered 503: its expression is none here, and `match` is for more paths. */
  readonly fault?: string;
}

export const pathOf = ({ match: { type, value } }: PathRule): Fields => ({ path: { type, value } });

/** The `/` that no Ingress has made, if it answers nothing but 404: what sends clients on does so for all paths of its host. */
const isNothing = ({ isDefault, upstream, rules }: PlacedLocation): boolean =>
  isDefault && upstream === defaultUpstream && rules.redirect === undefined;

/**
 * The paths of one Ingress at a server, in the order in which nginx compares them. `asKubernetes`: `/bar/` of type Prefix takes `/bar` as well, for
 * which nginx sends clients on.
 */
export function pathRules({ all }: PlacedLocations, ingress: string, asKubernetes = false): readonly PathRule[] {
  const values = valuesOf(all);
  const exact = new Set(all.filter(({ form }) => form === 'exact').map(({ path }) => path));
  return all
    .filter(
      (location) =>
        location.rules.ingress === ingress && !isNothing(location) && (asKubernetes || !isShadowed(location, all)),
    )
    .flatMap((location): readonly PathRule[] => {
      if (location.form === 'regex') return [regexRule(location, values.get(location))];
      const prefix = asKubernetes ? wholePrefix : prefixRules;
      const rules = location.form === 'prefix' ? prefix(location, all, exact) : exactRules(location, all);
      return rules.flatMap((rule) => {
        const value = literalPath(rule.match.value);
        return value === undefined ? [] : [{ ...rule, match: { ...rule.match, value } }];
      });
    });
}

const exactRules = (location: PlacedLocation, all: readonly PlacedLocation[]): readonly PathRule[] =>
  isTwin(location, all) ? [] : [{ match: { type: 'Exact', value: location.path }, location }];

/** The exact half of a prefix: `/foo` beside `/foo/`, and `/bar/` beside itself. */
const isTwin = (location: PlacedLocation, all: readonly PlacedLocation[]): boolean =>
  all.some(
    ({ form, path, rules, isDefault, upstream }) =>
      form === 'prefix' &&
      !isDefault &&
      upstream === location.upstream &&
      (path === `${location.path}/` || path === location.path) &&
      rules.ingress === location.rules.ingress,
  );

/** A path and all below it. */
const wholePrefix = (location: PlacedLocation): readonly PathRule[] => [
  { match: { type: 'PathPrefix', value: location.path.replace(/(?<=.)\/$/, '') }, location },
];

function prefixRules(
  location: PlacedLocation,
  all: readonly PlacedLocation[],
  exact: ReadonlySet<string>,
): readonly PathRule[] {
  const { path } = location;
  if (path === '/') return [{ match: { type: 'PathPrefix', value: '/' }, location }];
  const bare = path.slice(0, -1);
  const rule: PathRule = { match: { type: 'PathPrefix', value: bare }, location };
  const hasTwin = all.some(
    (each) => each.form === 'exact' && each.path === bare && each.rules.ingress === location.rules.ingress,
  );
  return hasTwin || exact.has(bare) ? [rule] : [{ match: { type: 'Exact', value: bare }, location, slash: true }, rule];
}

/** Once for a host, however many Ingresses it has. */
function valuesOf(all: readonly PlacedLocation[]): ReadonlyMap<PlacedLocation, string> {
  const known = values.get(all) ?? orderedValues(all, ({ path }) => expressionOf(path));
  values.set(all, known);
  return known;
}

const values = new WeakMap<readonly PlacedLocation[], ReadonlyMap<PlacedLocation, string>>();

/** nginx compares `^PATH` without regard to case; ours are compared with the whole path. */
function regexRule(location: PlacedLocation, ordered: string | undefined): PathRule {
  const value = ordered ?? expressionOf(location.path);
  const fault = regexFault(location.path, value);
  if (fault === undefined) return { match: { type: 'RegularExpression', value }, location };
  const literal = /^[\w/~-]*/.exec(location.path)?.[0] ?? '/';
  return { match: { type: 'RegularExpression', value: `(?i)${literal}.*` }, location, fault };
}

/** Envoy sees the path as clients send it: a space is `%20`. */
export const bareExpression = (path: string): string =>
  path
    .replaceAll(' ', '%20')
    .replace(/^\^/, '')
    .replace(/(?<!\\)\$$/, '');

/** One that ends in `$` is not open at its end. */
const expressionOf = (path: string): string => `(?i)${bareExpression(path)}${/(?<!\\)\$$/.test(path) ? '' : '.*'}`;

function hasOuterAlternative(text: string): boolean {
  let depth = 0;
  for (const [lexeme] of text.matchAll(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/g)) {
    if (lexeme === '(') depth += 1;
    if (lexeme === ')') depth -= 1;
    if (lexeme === '|' && depth === 0) return true;
  }
  return false;
}

function regexFault(path: string, value: string): string | undefined {
  if (hasOuterAlternative(path)) return 'an alternative of the whole path, which nginx anchors at its first part only';
  try {
    new RE2JS(value);
    return undefined;
  } catch (error) {
    return `no expression of RE2: ${error instanceof Error ? error.message : String(error)}`;
  }
}
