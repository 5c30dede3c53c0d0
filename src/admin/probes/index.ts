import type { Middleware } from 'koa';
import * as z from 'zod';
import { HttpError } from '../http/index.ts';
import { type Endpoint, type Endpoints, get } from '../resource/endpoint.ts';
import { named } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';

/** They ask for no token, and come by any name. */
export const layout1Probes: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** Why the control plane is not ready; undefined: it is. */
export function whyNotReady({ readiness }: Pick<AdminSources, 'readiness'>): string | undefined {
  const { ready: isReady, reason = 'the first full list of resources is not in yet' } = readiness();
  return isReady ? undefined : reason;
}

/** Seconds until it is worth to ask again: most starts take less. */
const retryAfter = '2';

/** What is read is not known before the first full list; an empty list would say that there is nothing. */
const notReady = (reason: string): HttpError =>
  new HttpError('not_ready', `not ready: ${reason}; try again in ${retryAfter} s`, {
    headers: { 'Retry-After': retryAfter },
  });

/** Lets requests on once the first full list is in; throws a 503 before. */
export const whenSynced =
  (sources: Pick<AdminSources, 'readiness'>): Middleware =>
  (_ctx, next) => {
    const reason = whyNotReady(sources);
    if (reason !== undefined) throw notReady(reason);
    return next();
  };

export const livez = named('Alive', 'The process is alive.', { status: z.literal('alive') });
export const readyz = named('Ready', 'The first full list of resources is in.', { status: z.literal('ready') });

const alive: Endpoint<AdminSources> = {
  ...get({
    path: '/livez',
    summary: 'Whether the process is alive',
    answer: livez,
    isTagged: false,
    handle: () => undefined,
  }),
  // Whatever a probe has in its query.
  handle(ctx) {
    ctx.body = { status: 'alive' };
  },
};

const ready: Endpoint<AdminSources> = {
  ...get({
    path: '/readyz',
    summary: 'Whether the first full list of resources is in',
    answer: readyz,
    errors: ['not_ready'],
    isTagged: false,
    handle: () => undefined,
  }),
  handle(ctx, sources) {
    const reason = whyNotReady(sources);
    if (reason !== undefined) throw new HttpError('not_ready', reason);
    ctx.body = { status: 'ready' };
  },
};

/** `/livez` and `/readyz` of Layout 1. */
export const probes: Endpoints<AdminSources> = { endpoints: [alive, ready] };
