import type { z } from 'zod';
import { type ErrorCodeName, listPage, readListQuery, setTag } from '../http/index.ts';
import { type Endpoint, type Endpoints, get, type Params } from './endpoint.ts';
import { listOf } from './operation.ts';
import { type Awaitable, lazily, type Shown } from './shown.ts';

/** How a list is found, narrowed and ordered. `Entry` is whatever is cheap to have for each; only a page of them becomes records. */
export interface List<S, Entry> {
  readonly entries: (sources: S, query: ReadonlyMap<string, string>) => Awaitable<Iterable<Entry>>;
  /** From a parameter's value to whether an entry fits; throws a 400 for a value that makes no sense. */
  readonly filters: Readonly<Record<string, (value: string, sources: S) => (entry: Entry) => boolean>>;
  /** What an entry is ordered by, under the names that `sort` takes. The first is the default and breaks ties: it must be unique, and look nothing up. */
  readonly sorts: Readonly<Record<string, Sort<S, Entry>>>;
}

type Key<Entry> = (entry: Entry) => string | number;

/** What entries are ordered by; `lookUp` makes it once for all of them, when it is asked for. */
export type Sort<S, Entry> = Key<Entry> | { readonly lookUp: (sources: S) => Awaitable<Key<Entry>> };

/** Makes records of the entries of one page: what they have in common is looked up once. */
export type Present<S, Entry, Shape> = (sources: S, page: readonly Entry[]) => Awaitable<(entry: Entry) => Shape>;

/** A list as one endpoint. */
export interface ListSpec<S, Entry, Schema extends z.ZodType> extends List<S, Entry> {
  readonly path: string;
  /** `Layout 1` when left out. */
  readonly tag?: string;
  readonly summary: string;
  readonly record: Schema;
  readonly present: Present<S, Entry, Shown<Schema>>;
  /** Whether it is a list of what was read from the cluster or directory. It is, unless it says so. */
  readonly needsSync?: boolean;
  /** Changes whenever an answer could: a client that has the newest is answered before anything is made. Without it the tag is made of the answer. */
  readonly revision?: (sources: S) => Awaitable<string>;
  /** Beside `query_invalid`. */
  readonly errors?: readonly ErrorCodeName[];
  /** Another way to show the page, for a parameter that the list takes beside its filters. */
  readonly view?: View<S, Entry, Shown<Schema>>;
}

/** What a list answers instead of an array where its query says so. */
export interface View<S, Entry, Shape> {
  readonly query: Readonly<Record<string, string>>;
  /** All that the list may answer. */
  readonly answer: z.ZodType;
  readonly show: (
    page: readonly Entry[],
    toRecord: (entry: Entry) => Shape,
    query: ReadonlyMap<string, string>,
    sources: S,
  ) => unknown;
  /** The same for one of the list; left out where it has no other form. */
  readonly one?: {
    readonly answer: z.ZodType;
    readonly show: (
      entry: Entry,
      toRecord: (entry: Entry) => Shape,
      query: ReadonlyMap<string, string>,
      sources: S,
    ) => unknown;
  };
}

/** A path that answers a list as a bare array. */
export function list<S, Entry, Schema extends z.ZodType>(spec: ListSpec<S, Entry, Schema>): Endpoint<S> {
  const { path, tag = 'Layout 1', summary, record, filters, sorts, view, needsSync = true, errors = [] } = spec;
  const described = listOf(view?.answer ?? record.array(), { filters, sorts });
  const query = { ...described.query, ...view?.query };
  const others = Object.keys(view?.query ?? {});
  return {
    ...get({
      path,
      tag,
      summary,
      ...described,
      errors: [...described.errors, ...errors],
      query,
      needsSync,
      handle: () => undefined,
    }),
    async handle(ctx, sources) {
      const asked = readListQuery(ctx, { filters, others });
      if (spec.revision && setTag(ctx, await spec.revision(sources))) return;
      const bound = Object.entries(filters).map(([name, of]) => [name, (value: string) => of(value, sources)] as const);
      const entries = await spec.entries(sources, asked);
      const keys = await keysOf(sorts, asked.get('sort'), sources);
      const page = await listPage(ctx, entries, { filters: Object.fromEntries(bound), sorts: keys, others });
      const toRecord = await spec.present(sources, page);
      ctx.body = view ? await view.show(page, toRecord, asked, sources) : lazily(page, toRecord);
    },
  };
}

/** Only what the asked one needs is looked up. */
async function keysOf<S, Entry>(sorts: List<S, Entry>['sorts'], asked: string | undefined, sources: S) {
  const keys = Object.entries(sorts).map(async ([name, sort]): Promise<[string, Key<Entry>]> => {
    if (typeof sort === 'function') return [name, sort];
    return [name, name === asked ? await sort.lookUp(sources) : () => 0];
  });
  return Object.fromEntries(await Promise.all(keys));
}

/** One thing of a list, under the list's path. */
interface One<S, Entry, Path extends string> {
  /** Behind the list's path, such as `/:namespace/:name`. */
  readonly at: Path;
  readonly summary: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly errors: readonly ErrorCodeName[];
  /** Throws an HttpError when there is none. */
  readonly find: (params: Params<Path>, sources: S, query: ReadonlyMap<string, string>) => Entry;
}

/** What a resource is: its records, the list of them, one of them, and how a line of a table reads. */
export interface ResourceSpec<S, Entry, Schema extends z.ZodType, Path extends string>
  extends Omit<ListSpec<S, Entry, Schema>, keyof List<S, Entry>> {
  readonly list: List<S, Entry>;
  readonly one?: One<S, Entry, Path>;
}

/** A resource of Layout 1; Layout 2 shows some of them in words of its own. */
export interface Resource<S, Entry, Shape> extends Endpoints<S> {
  readonly list: List<S, Entry>;
  readonly present: Present<S, Entry, Shape>;
}

/** Path, schema, list and handler of one resource: the router and the description of the API are generated from this. */
export function resource<S, Entry, Schema extends z.ZodType, Path extends string = string>(
  spec: ResourceSpec<S, Entry, Schema, Path>,
): Resource<S, Entry, Shown<Schema>> {
  const { list: found, one, record, path, present, ...rest } = spec;
  const all = list({ ...rest, ...found, path, record, present });
  return { list: found, present, endpoints: one ? [all, single(spec, one)] : [all] };
}

function single<S, Entry, Schema extends z.ZodType, Path extends string>(
  { path, tag = 'Layout 1', record, present, view, needsSync = true }: ResourceSpec<S, Entry, Schema, Path>,
  { at, summary, query, errors, find }: One<S, Entry, Path>,
): Endpoint<S> {
  return get<S, `${string}${Path}`, z.ZodType>({
    path: `${path}${at}`,
    tag,
    summary,
    answer: view?.one?.answer ?? record,
    ...((query || view?.one) && { query: { ...query, ...(view?.one && view.query) } }),
    errors: view?.one ? [...errors, 'query_invalid'] : errors,
    needsSync,
    async handle({ params, query: asked }, sources) {
      const entry = find(params as Params<Path>, sources, asked);
      const toRecord = await present(sources, [entry]);
      return view?.one ? view.one.show(entry, toRecord, asked, sources) : toRecord(entry);
    },
  });
}
