import { HttpError } from '../http/index.ts';
import { type Asked, type Endpoints, get } from '../resource/endpoint.ts';
import { timeTextOrNull } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import type { ReplicaFeed } from './feed.ts';
import { replica } from './record.ts';

/** `/v1/replicas`, and what each control plane follows of the others: no more than what other paths show. */
export const replicas: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/replicas',
      summary: 'Control planes, this one first',
      answer: replica.array(),
      handle: (_, sources: AdminSources) =>
        sources.replicas
          .list()
          .map((each) => ({ ...each, lastHeardAt: timeTextOrNull(each.lastHeardAt ?? undefined) })),
    }),
    get({
      path: '/v1/replicas/feed',
      summary: 'What this control plane reports to the others, as it happens',
      media: 'text/event-stream',
      errors: ['query_invalid', 'too_many_streams'],
      handle: ({ ctx }, { feed }: AdminSources) => openFeed(ctx, feed),
    }),
  ],
};

function openFeed(ctx: Asked<string>['ctx'], feed: ReplicaFeed): void {
  const stream = ctx.method === 'HEAD' ? undefined : feed.open();
  if (stream === undefined && ctx.method !== 'HEAD') throw tooMany();
  ctx.status = 200;
  ctx.set('Content-Type', 'text/event-stream');
  ctx.set('X-Accel-Buffering', 'no');
  if (stream === undefined) return;
  // Koa itself does not notice that the reader went away before there was a body.
  ctx.res.once('close', () => stream.destroy());
  if (ctx.res.destroyed) stream.destroy();
  else ctx.body = stream;
}

const tooMany = (): HttpError =>
  new HttpError('too_many_streams', 'too many replicas follow this one, or it is stopping', {
    headers: { 'Retry-After': '5' },
  });
