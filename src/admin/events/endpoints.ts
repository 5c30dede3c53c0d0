import type { RouterContext } from '@koa/router';
import { HttpError, oneOf, readQuery, whole } from '../http/index.ts';
import type { Endpoint } from '../resource/endpoint.ts';
import { type EventLog, EventStream, type EventType, eventTypes } from './index.ts';

/** More readers than this are not taken on. */
const maxReaders = 200;
const heartbeatMs = 15_000;

/** Parameters of `/v1/events`. */
export const eventParameters = ['types'] as const;

/** `/v1/events`: what happens, as it happens. `types` is a list with commas. */
export const eventEndpoints = (log: EventLog): readonly Endpoint[] => [
  {
    path: '/v1/events',
    handle: (ctx: RouterContext) => {
      const types = typesAskedFor(readQuery(ctx, eventParameters).get('types'));
      const lastSeen = ctx.get('Last-Event-ID');
      if (log.readers >= maxReaders) throw tooMany();
      const resumed = lastSeen === '' ? undefined : log.after(lastSeen);
      ctx.status = 200;
      ctx.set('Content-Type', 'text/event-stream');
      // Proxies that gather answers would turn a stream into a long silence.
      ctx.set('X-Accel-Buffering', 'no');
      if (ctx.method === 'HEAD') return;
      ctx.body = new EventStream({
        log,
        from: resumed ?? log.end,
        reset: lastSeen !== '' && resumed === undefined,
        types,
        heartbeatMs,
      });
    },
  },
];

/** Parameters of `/v1/events/recent`. */
export const recentParameters = ['types', 'limit', 'offset'] as const;

/** So many are looked at: what is older is of little use to anybody. */
const maxRecent = 500;

/** `/v1/events/recent`: what has happened, the newest first. */
export const recentEventEndpoints = (log: EventLog): readonly Endpoint[] => [
  {
    path: '/v1/events/recent',
    handle: (ctx: RouterContext) => {
      const query = readQuery(ctx, recentParameters);
      const types = typesAskedFor(query.get('types'));
      const limit = whole('limit', query.get('limit') ?? '100', 1, maxRecent);
      const offset = whole('offset', query.get('offset') ?? '0', 0, maxRecent);
      const found = log.newest(maxRecent).filter(({ type }) => types.has(type));
      ctx.set('X-Total-Count', String(found.length));
      ctx.body = found.slice(offset, offset + limit).map(({ id, type, at, data }) => ({ id, type, at, ...data }));
    },
  },
];

const typesAskedFor = (value: string | undefined): ReadonlySet<EventType> =>
  new Set(value === undefined ? eventTypes : value.split(',').map((type) => oneOf('types', type, eventTypes)));

const tooMany = (): HttpError =>
  new HttpError('too_many_streams', `${maxReaders} event streams are open`, { headers: { 'Retry-After': '5' } });
