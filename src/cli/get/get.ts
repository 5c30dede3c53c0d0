import { type Listing, listings, type Named } from '../../admin/columns/index.ts';
import { didYouMean } from '../../std/index.ts';
import { CliError } from '../kit/cli-error.ts';
import type { ListShape } from '../kit/list.ts';

/** Names that `get` knows, in the plural. */
const listableNames = Object.keys(listings);

/** How a kind of thing is listed; the singular and any case will do. Throws a CliError that lists the names. */
export function findListable(name: string): Listing<unknown> {
  const wanted = name.toLowerCase();
  const found = Object.entries(listings).find(
    ([plural, { singular }]) =>
      plural === wanted ||
      singular === wanted ||
      plural === `${wanted}s` ||
      plural === `${wanted}es` ||
      (plural === 'routes' && isRouteKind(wanted)),
  );
  if (!found) throw new CliError(`${JSON.stringify(name)} cannot be listed; ${listableNames.join(', ')} can`);
  return found[1];
}

const isRouteKind = (word: string): boolean => /^[a-z]+routes?$/.test(word);

/** What a row goes by. */
const namedOf = ({ named }: Listing<unknown>, row: unknown): Named => named?.(row) ?? (row as Named);

function nameOf(what: Listing<unknown>, row: unknown): string {
  const { kind = what.singular, name } = namedOf(what, row);
  return `${kind.toLowerCase()}/${name}`;
}

/** How rows of a kind are listed. */
export const listShape = (what: Listing<unknown>, now: Date): ListShape<unknown> => ({
  columns: what.columns(now),
  nameOf: (row) => nameOf(what, row),
  empty: 'nothing found',
});

/** The rows with a name. Throws a CliError that has the nearest name when there are rows, and none with this one. */
export function rowsNamed(what: Listing<unknown>, rows: readonly unknown[], wanted: string): readonly unknown[] {
  const names = rows.map((row) => namedOf(what, row).name);
  const found = rows.filter((_, index) => names[index] === wanted);
  if (found.length > 0) return found;
  throw new CliError(`no ${what.singular} is named ${JSON.stringify(wanted)}${didYouMean(wanted, names)}`);
}
