import type { Readable } from 'node:stream';
import type { RouterContext } from '@koa/router';
import { HttpError, readQuery } from '../http/index.ts';
import { type Endpoint, single } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';

/** What this control plane tells the others. */
export interface ReplicaFeed {
  /** Everything there is, then every change, as `text/event-stream`; undefined when no further reader is taken on. */
  open(): Readable | undefined;
}

/** `/v1/replicas`, and what each control plane follows of the others: no more than what other paths show. */
export const replicaEndpoints = (sources: AdminSources, feed: ReplicaFeed): readonly Endpoint[] => [
  single('/v1/replicas', () => sources.replicas.list()),
  {
    path: '/v1/replicas/feed',
    handle: (ctx: RouterContext) => {
      readQuery(ctx, []);
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
    },
  },
];

const tooMany = (): HttpError =>
  new HttpError('too_many_streams', 'too many replicas follow this one, or it is stopping', {
    headers: { 'Retry-After': '5' },
  });
