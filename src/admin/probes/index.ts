import * as z from 'zod';
import { HttpError } from '../http/index.ts';
import { type Endpoint, type Endpoints, get } from '../resource/endpoint.ts';
import { object } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';

/** They ask for no token, and come by any name. */
export const layout1Probes: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** Why the control plane is not ready; undefined: it is. */
export function whyNotReady({ readiness }: AdminSources): string | undefined {
  const { ready: isReady, reason = 'the first full list of resources is not in yet' } = readiness();
  return isReady ? undefined : reason;
}

export const livez = object({ status: z.literal('alive') });
export const readyz = object({ status: z.literal('ready') });

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
