import type { Context, Middleware } from 'koa';
import { bearerOf, HttpError, isSameToken, type TokenSource } from '../http/index.ts';
import type { BoundEndpoint } from '../resource/endpoint.ts';
import type { Identities, Person } from './kubernetes/person.ts';

import { unauthorized } from './unauthorized.ts';

/** Who may come in. */
export interface Tokens {
  /** For everything. */
  readonly full: TokenSource;
  /** For reading. */
  readonly readOnly: TokenSource;
  /** Looks whether the tokens are others by now; for sources that do not look at each request. Never rejects. */
  readonly refresh?: () => Promise<void>;
}

/** Who came in, for the log and for rights: a configured token, or a person by a token of the cluster. */
export type Caller =
  | { readonly by: 'token' | 'read-only token' }
  | {
      readonly by: 'kubernetes';
      readonly person: Person;
      /** Whether the person may write anything here, as far as paths go. */
      readonly mayWrite: () => Promise<boolean>;
    };

/** Whether a request changes nothing and costs nothing, so that the token for reading will do. */
export type IsReadingOnly = (request: { readonly method: string; readonly path: string }) => boolean;

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** By the endpoints there are: some questions do not fit into a query, and are a POST. */
export function readingOnly(endpoints: readonly Pick<BoundEndpoint, 'method' | 'path' | 'onlyReads'>[]): IsReadingOnly {
  const questions = new Set(
    endpoints.flatMap(({ method, path, onlyReads }) => (method === 'post' && onlyReads ? [path] : [])),
  );
  return ({ method, path }) => readingMethods.has(method) || (method === 'POST' && questions.has(path));
}

/** Undefined while no token is asked for. */
export const callerOf = (ctx: Context): Caller | undefined => ctx.state.caller as Caller | undefined;

export interface BearerOptions {
  readonly tokens: Tokens;
  /** Probes, which ask for no token. */
  readonly openPaths: ReadonlySet<string>;
  readonly identities?: Identities | undefined;
  readonly isReadingOnly: IsReadingOnly;
}

/**
 * The contract's `bearer-when-configured`: open without a token, 401 for everything but `openPaths` with one. The read-only token
 * gets 403 for what may change something. With `identities`, any other token is one of the cluster, whose person needs the right
 * to the path. `ctx.state.readOnly` and `callerOf` say who it was.
 */
export function bearerAuth({ tokens, openPaths, identities, isReadingOnly }: BearerOptions): Middleware {
  return async (ctx, next) => {
    if (openPaths.has(ctx.path)) return next();
    if (identities === undefined && (await tokens.full()) === undefined) return next();
    const given = tokenOf(ctx.get('Authorization'), identities !== undefined);
    const caller =
      (await configured(tokens, given, identities)) ?? (await person(ctx, given, identities, isReadingOnly));
    if (caller.by === 'read-only token' && !isReadingOnly(ctx))
      throw new HttpError('token_read_only', `${ctx.method} needs the full token; this one is for reading`);
    ctx.state.caller = caller;
    ctx.state.readOnly = caller.by === 'read-only token';
    return next();
  };
}

/** A token that is not known may be newer than what was read of the tokens, unless the cluster knows it. */
async function configured(
  tokens: Tokens,
  given: string,
  identities: Identities | undefined,
): Promise<Caller | undefined> {
  const found = await matchOf(tokens, given);
  if (found !== undefined || tokens.refresh === undefined || identities?.knows(given)) return found;
  await tokens.refresh();
  return await matchOf(tokens, given);
}

async function matchOf({ full, readOnly }: Tokens, given: string): Promise<Caller | undefined> {
  const [expected, reading] = [await full(), await readOnly()];
  // Both are compared, even after a match, so that the time does not show which one was close.
  const [isFull, isReading] = [
    expected !== undefined && isSameToken(given, expected.reveal()),
    reading !== undefined && isSameToken(given, reading.reveal()),
  ];
  if (isFull) return { by: 'token' };
  return isReading ? { by: 'read-only token' } : undefined;
}

async function person(
  ctx: Context,
  given: string,
  identities: Identities | undefined,
  isReadingOnly: IsReadingOnly,
): Promise<Caller> {
  if (identities === undefined) throw unauthorized('the bearer token is wrong', false);
  const found = await identities.personOf(given, ctx.req.socket.remoteAddress ?? '');
  const [verb, path] = [verbOf(ctx.method), ctx.path];
  ctx.state.person = found;
  const mayWrite = () => identities.mayUse(found, { verb: 'post', path: '/v1/resources' });
  if (await identities.mayUse(found, { verb, path })) return { by: 'kubernetes', person: found, mayWrite };
  throw pathDenied(found, verb, path, isReadingOnly(ctx));
}

/** As the API server names what requests do with paths that are no resources. */
const verbOf = (method: string): string => (method === 'HEAD' || method === 'OPTIONS' ? 'get' : method.toLowerCase());

function pathDenied({ username }: Person, verb: string, path: string, isReading: boolean): HttpError {
  const role = isReading ? 'gatewright-admin-reader' : 'gatewright-admin-writer';
  return new HttpError(
    'access_denied',
    `${username} may not ${verb} ${path} here: bind ClusterRole ${role} (rbac/admin-access.yaml) by a ClusterRoleBinding`,
  );
}

function tokenOf(header: string, kubernetes: boolean): string {
  const given = bearerOf(header);
  if (given === undefined) throw unauthorized('a bearer token is required', kubernetes);
  return given;
}
