import type { RouterContext } from '@koa/router';
import type { z } from 'zod';
import { readQuery } from '../http/index.ts';
import type { Operation } from './operation.ts';
import type { Awaitable, Shown } from './shown.ts';

/** One method of one path: what the description of the API says of it, who may ask, and what answers. `S`: what is read or changed. */
export interface Endpoint<S> extends Operation {
  /** Whether it changes nothing and costs nothing, so that the read-only token may ask. A GET always does. */
  readonly onlyReads: boolean;
  /** Whether the answer has the snapshot's id and an ETag. */
  readonly isTagged: boolean;
  /** Whether pages of other sites are kept from it. */
  readonly isGuarded: boolean;
  /** Whether each request is a line of the audit log. */
  readonly isAudited: boolean;
  /** Whether it is about what was read from the cluster or directory, and so knows nothing before the first full list. */
  readonly needsSync: boolean;
  /** What a failure means to a client; anything else stays as it is. */
  readonly errorOf?: (caught: unknown) => unknown;
  readonly handle: (ctx: RouterContext, sources: S) => void | Promise<void>;
}

/** The names of a path's parameters: `namespace` and `name` of `/v1/gateways/:namespace/:name`. */
type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The parameters of a matched path. */
export type Params<Path extends string = string> = Readonly<Record<NamesIn<Path>, string>>;

/** One request, with its query read. */
export interface Asked<Path extends string> {
  readonly params: Params<Path>;
  readonly query: ReadonlyMap<string, string>;
  readonly ctx: RouterContext;
}

/** What is common to an endpoint of any method. */
interface Spec<S, Path extends string, Answer extends z.ZodType> extends Omit<Operation, 'method' | 'tag'> {
  readonly path: Path;
  /** `Layout 1` when left out. */
  readonly tag?: string;
  readonly answer?: Answer;
  readonly errorOf?: Endpoint<S>['errorOf'];
  readonly isTagged?: boolean;
  readonly isGuarded?: boolean;
  readonly isAudited?: boolean;
  /** Not unless it says so. */
  readonly needsSync?: boolean;
  /** Gives the body; undefined when the answer is made already, by `ctx`. Its type is that of `answer`, so that they cannot drift apart. */
  readonly handle: (asked: Asked<Path>, sources: S) => Awaitable<Shown<Answer> | undefined>;
}

type Rules = Pick<Endpoint<never>, 'onlyReads' | 'isTagged' | 'isGuarded' | 'isAudited'>;

const endpoint =
  (method: Operation['method'], rules: Rules) =>
  <S, Path extends string, Answer extends z.ZodType>({ handle, ...rest }: Spec<S, Path, Answer>): Endpoint<S> => ({
    method,
    tag: 'Layout 1',
    needsSync: false,
    ...rules,
    ...rest,
    ...(rest.needsSync && { errors: [...(rest.errors ?? []), 'not_ready' as const] }),
    async handle(ctx, sources) {
      const query = readQuery(ctx, Object.keys(rest.query ?? {}));
      const body = await handle({ params: ctx.params as Params<Path>, query, ctx }, sources);
      if (body !== undefined) ctx.body = body;
    },
  });

/** Answers GET and HEAD. */
export const get = endpoint('get', { onlyReads: true, isTagged: true, isGuarded: false, isAudited: false });

/** A question that does not fit into a query: a POST that changes nothing, and costs nothing. */
export const question = endpoint('post', { onlyReads: true, isTagged: false, isGuarded: false, isAudited: false });

const write = { onlyReads: false, isTagged: false, isGuarded: true, isAudited: true };

/** These change something: whatever the handler does not know, the audit log and the guard against other sites do. */
export const post = endpoint('post', write);
export const put = endpoint('put', write);
export const remove = endpoint('delete', write);

/** The endpoints of one room. */
export interface Endpoints<S> {
  readonly endpoints: readonly Endpoint<S>[];
}

/** An endpoint that has what it needs. */
export type BoundEndpoint = Endpoint<void>;

/** The endpoints of a part, which answer by what `sources` has. */
export const bind = <S>(endpoints: readonly Endpoint<S>[], sources: S): readonly BoundEndpoint[] =>
  endpoints.map((endpoint) => ({ ...endpoint, handle: (ctx) => endpoint.handle(ctx, sources) }));
