import type { LocationRules } from './location.ts';
import { type NginxRegex, nginxRegex } from './regex.ts';
import { textOf } from './request-path.ts';

/** The type of a path: an absent one and ImplementationSpecific are Prefix. */
export type PathType = 'Exact' | 'Prefix';

/** A location of a server. */
export interface Location {
  /** Each character is one byte. */
  readonly path: string;
  readonly type: PathType;
  /** The name of its upstream. */
  readonly upstream: string;
  readonly rules: LocationRules;
  /** It is the server's own `/`, which no path of an Ingress has taken. */
  readonly isDefault: boolean;
}

/** How nginx compares a location with paths. */
export type Form = 'exact' | 'prefix' | 'regex';

export interface PlacedLocation extends Location {
  readonly form: Form;
  /** Of the form `regex`. */
  readonly regex?: NginxRegex;
}

/** The locations of a server in the order of its configuration. `fault`: nginx takes no such configuration. */
export interface PlacedLocations {
  readonly all: readonly PlacedLocation[];
  readonly fault?: string;
}

const rewrites = ({ path, rules }: Location): boolean =>
  rules.rewriteTarget !== undefined && rules.rewriteTarget !== path;

/** The longest path first, of equal ones the greater. The sort is stable. */
const byLength = (a: Location, b: Location): number =>
  b.path.length - a.path.length || (a.path < b.path ? 1 : a.path > b.path ? -1 : 0);

/**
 * What the configuration of a server has: a Prefix path is two locations, unless it is an expression, and one expression makes all of the
 * server's paths expressions.
 */
export function placeLocations(locations: readonly Location[]): PlacedLocations {
  const sorted = [...locations].sort(byLength);
  const exact = new Set(sorted.filter(({ type }) => type === 'Exact').map(({ path }) => path));
  const all = sorted.flatMap((location) => twins(location, exact));
  const isRegex = all.some((location) => rewrites(location) || location.rules.useRegex);
  const twice = isRegex ? undefined : duplicateOf(all);
  if (twice)
    return {
      all: [],
      fault: `${twice.rules.ingress}: path ${textOf(twice.path)} makes the same location as another path of the host`,
    };
  if (!isRegex) return { all: all.map((each) => ({ ...each, form: each.type === 'Exact' ? 'exact' : 'prefix' })) };
  const placed: PlacedLocation[] = [];
  for (const location of all) {
    const regex = nginxRegex(`^${location.path}`);
    if ('fault' in regex)
      return { all: [], fault: `${location.rules.ingress}: path ${textOf(location.path)}: ${regex.fault}` };
    placed.push({ ...location, form: 'regex', regex });
  }
  return { all: placed };
}

/** An expression that nginx never comes to, since one with the same text is before it: that of the host's own `/` before an Exact `/`. */
export const isShadowed = (location: PlacedLocation, all: readonly PlacedLocation[]): boolean =>
  location.form === 'regex' && all.find(({ path }) => path === location.path) !== location;

/** nginx takes no configuration that has a location twice: `/a` and `/a/` as Prefix are such paths. */
function duplicateOf(locations: readonly Location[]): Location | undefined {
  const seen = new Set<string>();
  return locations.find(({ type, path }) => seen.size === seen.add(`${type} ${path}`).size);
}

function twins(location: Location, exact: ReadonlySet<string>): readonly Location[] {
  const { path, type, rules } = location;
  if (path === '/' || type === 'Exact' || rewrites(location) || rules.useRegex) return [location];
  const below = { ...location, path: path.endsWith('/') ? path : `${path}/` };
  return exact.has(path) ? [below] : [below, { ...location, type: 'Exact' }];
}

/** What nginx finds for a path. `unknown`: an expression that only nginx can try comes first. */
export type Found =
  | { readonly kind: 'location'; readonly location: PlacedLocation }
  | { readonly kind: 'slash'; readonly location: PlacedLocation }
  | { readonly kind: 'unknown'; readonly location: PlacedLocation };

/**
 * The location of a path: an exact one, else one that only lacks the slash at the request's end, else the longest prefix; in a server of expressions the first
 * that matches. Undefined: none. Source: `ngx_http_core_find_location`.
 */
export function findLocation({ all }: PlacedLocations, path: string): Found | undefined {
  const exact = all.find(({ form, path: own }) => form === 'exact' && own === path);
  if (exact) return { kind: 'location', location: exact };
  const slash = all.find(({ form, path: own }) => form !== 'regex' && own === `${path}/`);
  if (slash) return { kind: 'slash', location: slash };
  for (const location of all) {
    if (location.form === 'prefix' && path.startsWith(location.path)) return { kind: 'location', location };
    const match = location.regex?.match(path);
    if (match === 'unknown') return { kind: 'unknown', location };
    if (match !== undefined) return { kind: 'location', location };
  }
  return undefined;
}
