import type { Context } from 'koa';
import { inTurns, type Steps } from '../../std/steps/index.ts';
import { oneOf, readQuery, whole } from './query.ts';

/** How a list can be narrowed and ordered. `T` is whatever is cheap to have for every entry; only a page of them is presented. */
export interface ListSpec<T> {
  /** From a parameter's value to whether an entry fits; throws a 400 for a value that makes no sense. */
  readonly filters: Readonly<Record<string, (value: string) => (entry: T) => boolean>>;
  /** What an entry is ordered by, under the names that `sort` takes. The first is the default and breaks ties: it must be unique. */
  readonly sorts: Readonly<Record<string, (entry: T) => string | number>>;
  /** Parameters that the endpoint reads by itself. */
  readonly others?: readonly string[];
}

/** The largest page that can be asked for. Without `limit` a list is whole, as the contract has it. */
const maxPageSize = 500;

const pageParameters = ['limit', 'offset', 'sort', 'order'] as const;

/** The query of a list. `readQuery` says what happens to a parameter that the list does not have. */
export const readListQuery = (
  ctx: Context,
  { filters, others = [] }: Pick<ListSpec<never>, 'others'> & { readonly filters: object },
): ReadonlyMap<string, string> => readQuery(ctx, [...pageParameters, ...Object.keys(filters), ...others]);

/** The page of entries that the query asks for, found with turns for others between. Sets X-Total-Count, and Link when there are more pages. */
export async function listPage<T>(ctx: Context, entries: Iterable<T>, spec: ListSpec<T>): Promise<T[]> {
  const { filters, sorts } = spec;
  const query = readListQuery(ctx, spec);
  const tests = Object.entries(filters).flatMap(([name, filter]) => {
    const value = query.get(name);
    return value === undefined ? [] : [filter(value)];
  });
  // All at once: what is listed may change in the turns of others.
  const all = [...entries];
  const found = tests.length === 0 ? all : await inTurns(matching(all, tests));
  const limit = whole('limit', query.get('limit') ?? String(maxPageSize), 1, maxPageSize);
  const offset = whole('offset', query.get('offset') ?? '0', 0, Number.MAX_SAFE_INTEGER);
  const sorted = await inTurns(sortEntries(found, sorts, query));
  ctx.set('X-Total-Count', String(found.length));
  if (!query.has('limit')) return sorted.slice(offset);
  setLinks(ctx, { limit, offset, total: found.length });
  return sorted.slice(offset, offset + limit);
}

function* matching<T>(entries: readonly T[], tests: readonly ((entry: T) => boolean)[]): Steps<T[]> {
  const found: T[] = [];
  for (const entry of entries) {
    if (tests.every((passes) => passes(entry))) found.push(entry);
    yield;
  }
  return found;
}

function* sortEntries<T>(
  entries: readonly T[],
  sorts: ListSpec<T>['sorts'],
  query: ReadonlyMap<string, string>,
): Steps<T[]> {
  const names = Object.keys(sorts);
  const by = oneOf('sort', query.get('sort') ?? (names[0] as string), names);
  const direction = oneOf('order', query.get('order') ?? 'asc', ['asc', 'desc']) === 'asc' ? 1 : -1;
  const keyOf = sorts[by] as (entry: T) => string | number;
  const tieOf = sorts[names[0] as string] as (entry: T) => string | number;
  const keyed: { readonly entry: T; readonly key: string | number; readonly tie: string | number }[] = [];
  for (const entry of entries) {
    keyed.push({ entry, key: keyOf(entry), tie: tieOf(entry) });
    yield;
  }
  keyed.sort((a, b) => direction * (compare(a.key, b.key) || compare(a.tie, b.tie)));
  yield;
  return keyed.map(({ entry }) => entry);
}

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
}

/** RFC 8288, with references relative to the server. */
function setLinks(ctx: Context, { limit, offset, total }: Page): void {
  const last = Math.max(0, Math.ceil(total / limit) - 1) * limit;
  const offsets: readonly (readonly [string, number, boolean])[] = [
    ['first', 0, true],
    ['prev', Math.max(0, offset - limit), offset > 0],
    ['next', offset + limit, offset + limit < total],
    ['last', last, true],
  ];
  const links = offsets.filter(([, , there]) => there).map(([rel, to]) => `<${pageUrl(ctx, to)}>; rel="${rel}"`);
  ctx.set('Link', links.join(', '));
}

function pageUrl(ctx: Context, offset: number): string {
  const query = new URLSearchParams(ctx.querystring);
  query.set('offset', String(offset));
  return `${ctx.path}?${query}`;
}
