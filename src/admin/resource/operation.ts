import type { z } from 'zod';
import type { ErrorCodeName } from '../http/index.ts';

/** One method of one path, as the description of the API has it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** As the router writes it, with `:name`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** More than the summary, in whole sentences. */
  readonly description?: string;
  /** Of the request's body, in JSON or YAML. */
  readonly body?: z.ZodType;
  /** Something new is answered with status 201. */
  readonly creates?: boolean;
  /** Of the answer with status 200, where that is JSON. */
  readonly answer?: z.ZodType;
  /** The media type of an answer that is not JSON. */
  readonly media?: string;
  /** Query parameters with what they mean. */
  readonly query?: Readonly<Record<string, string>>;
  /** Beside those that every path may answer. */
  readonly errors?: readonly ErrorCodeName[];
}

/** How filters read, where their name alone does not say it. */
const filterWords: Readonly<Record<string, string>> = {
  q: 'Only entries of which `NAMESPACE/NAME` or a hostname has this in it',
  namespace: 'Only entries in this namespace',
  gateway: 'Only entries of this Gateway, as `NAMESPACE/NAME` or `NAME`',
  listener: 'Only entries of this listener, as `NAMESPACE.GATEWAY.LISTENER` or its name alone',
  ready: '`true`: only entries that are ready; `false`: only those that are not',
  connected: '`true`: only entries that are connected; `false`: only those that are not',
  accepted: '`true`: only entries that every parent accepts; `false`: only others',
};

/** How the query parameters of lists read. */
const listQuery = {
  limit: 'How many entries at most, up to 500; without it the list is whole',
  offset: 'How many entries to leave out before the first',
  order: '`asc` or `desc`',
};

/** Only the names are looked at, so that a list of another program can be described without its code. */
export interface ListNames {
  readonly filters: Readonly<Record<string, unknown>>;
  readonly sorts: Readonly<Record<string, unknown>>;
}

/** A list of what `answer` describes, with the parameters that its filters and sorts take. */
export const listOf = (
  answer: z.ZodType,
  { filters, sorts }: ListNames,
): Required<Pick<Operation, 'answer' | 'query' | 'errors'>> => ({
  answer,
  query: {
    ...Object.fromEntries(
      Object.keys(filters).map((name) => [name, filterWords[name] ?? `Only entries with this ${name}`]),
    ),
    ...listQuery,
    sort: `One of ${Object.keys(sorts).join(', ')}`,
  },
  errors: ['query_invalid'],
});
