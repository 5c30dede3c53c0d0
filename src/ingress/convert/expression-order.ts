import type { PlacedLocation } from '../model/locations.ts';

/** An expression that matches nothing, and is four characters longer than none. */
const filler = '(?:)';

/**
 * Values of a host's expressions by their locations, which nginx tries in this order: longest path first, of equal ones the greater text. A proxy tries
 * the longest value first, then that of the older route. Where the two may take the same path and would be tried in another order, the earlier one is
 * made longer.
 */
export function orderedValues(
  all: readonly PlacedLocation[],
  textOf: (location: PlacedLocation) => string,
): ReadonlyMap<PlacedLocation, string> {
  const ordered = new Map<PlacedLocation, string>();
  const later: { readonly location: PlacedLocation; readonly start: string; readonly length: number }[] = [];
  for (const location of all.toReversed()) {
    if (location.form !== 'regex') continue;
    const start = literalStart(location.path);
    const needed = later
      .filter((other) => start.startsWith(other.start) || other.start.startsWith(start))
      .map(({ location: { rules }, length }) => length + (rules.ingress === location.rules.ingress ? 0 : 1));
    const value = lengthened(textOf(location), Math.max(0, ...needed));
    ordered.set(location, value);
    later.push({ location, start, length: value.length });
  }
  return ordered;
}

/** What all paths that an expression takes begin with, in lower case. */
const literalStart = (path: string): string =>
  (/^\^?(?<start>(?:[\w/~-](?![?*{|]))*)/.exec(path)?.groups?.start ?? '').toLowerCase();

/** Values begin with `(?i)`. */
function lengthened(value: string, length: number): string {
  const missing = Math.ceil((length - value.length) / filler.length);
  return missing <= 0 ? value : value.replace(/^\(\?i\)/, (flag) => flag + filler.repeat(missing));
}
