import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import type { BoundEndpoint } from './endpoint.ts';
import { readBodyText } from './read-body.ts';

/** What requests pass on their way to an endpoint that asks for it. */
export interface Gates {
  /** Gives answers the snapshot's id and an ETag. */
  readonly tag: Middleware;
  /** Writes the audit log. */
  readonly audit: Middleware;
  /** Keeps pages of other sites out. */
  readonly guard: Middleware;
  /** Answers in the place of what would not know better before the first full list. */
  readonly synced: Middleware;
}

/** Has the router answer endpoints. */
export function mount(router: Router, endpoints: readonly BoundEndpoint[], gates: Gates): void {
  for (const endpoint of endpoints) {
    const { method, path, handle } = endpoint;
    router[method](path, ...gatesOf(endpoint, gates), (ctx) => handle(ctx));
  }
}

/** The order matters: the audit log has what a client is answered; what is rejected at the guard is not read. */
function gatesOf(
  { isAudited, isTagged, isGuarded, needsSync, errorOf, body }: BoundEndpoint,
  gates: Gates,
): Middleware[] {
  return [
    ...(isAudited ? [gates.audit] : []),
    ...(isTagged ? [gates.tag] : []),
    ...(errorOf ? [mapped(errorOf)] : []),
    ...(isGuarded ? [gates.guard] : []),
    ...(needsSync ? [gates.synced] : []),
    ...(body ? [readBodyText] : []),
  ];
}

/** Says failures of servers outside in the words of the API. */
const mapped =
  (errorOf: (caught: unknown) => unknown): Middleware =>
  async (_ctx, next) => {
    try {
      await next();
    } catch (error) {
      throw errorOf(error);
    }
  };
