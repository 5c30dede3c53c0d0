import * as z from 'zod';
import { HttpError, invalidQuery, oneOf, whole } from '../http/index.ts';
import { type Asked, type Endpoints, get } from '../resource/endpoint.ts';
import { time, timeText } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import { type EventLog, type EventType, eventTypes, type SignalType, signalTypes } from './event-log.ts';
import { EventStream } from './event-stream.ts';

/** More readers than this are not taken on. */
const maxReaders = 200;
const heartbeatMs = 15_000;
/** How many events are searched; older ones are rarely of use. */
const maxRecent = 500;

const types = 'Which of snapshot, node, resource, problem and access, with commas';
const followed =
  'Which of snapshot, node, resource, problem, access and traffic, with commas; `traffic` says that requests failed just now';
const streamTypes = [...eventTypes, ...signalTypes] as const;

/** Further fields are those of the event's type. */
const recentEvents = z.array(
  z
    .looseObject({ id: z.string(), type: z.enum(eventTypes), at: time })
    .meta({ id: 'Event', description: 'Something that happened; further fields are those of its type.' }),
);

/** `/v1/events`: what happens, as it happens; and what has happened, the newest first. */
export const events: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/events',
      summary: 'What happens, as it happens; `Last-Event-ID` resumes',
      media: 'text/event-stream',
      query: { types: followed },
      errors: ['query_invalid', 'too_many_streams'],
      handle: ({ query, ctx }, sources: AdminSources) => openStream(ctx, sources.events, typesOf(query, streamTypes)),
    }),
    get({
      path: '/v1/events/recent',
      summary: 'What has happened, the newest first',
      answer: recentEvents,
      query: {
        types,
        since: 'Only what happened at this time or later: RFC 3339',
        object: 'Only events of this object: `KIND/NAMESPACE/NAME`, in upper or lower case',
        limit: 'How many at most, up to 500',
        offset: 'How many entries to leave out before the first',
      },
      errors: ['query_invalid'],
      handle({ query, ctx }, sources: AdminSources) {
        const wanted = typesOf(query, eventTypes);
        const limit = whole('limit', query.get('limit') ?? '100', 1, maxRecent);
        const offset = whole('offset', query.get('offset') ?? '0', 0, maxRecent);
        const since = sinceOf(query);
        const isAbout = aboutOf(query);
        const found = sources.events
          .newest(maxRecent)
          .filter(({ type, at, data }) => wanted.has(type) && at >= since && isAbout(data));
        ctx.set('X-Total-Count', String(found.length));
        return found
          .slice(offset, offset + limit)
          .map(({ id, type, at, data }) => ({ id, type, at: timeText(at), ...data }));
      },
    }),
  ],
};

function openStream(ctx: Asked<string>['ctx'], log: EventLog, wanted: ReadonlySet<EventType | SignalType>): void {
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
    types: wanted,
    heartbeatMs,
  });
}

function typesOf<T extends string>(query: ReadonlyMap<string, string>, known: readonly T[]): ReadonlySet<T> {
  const value = query.get('types');
  return new Set(value === undefined ? known : value.split(',').map((type) => oneOf('types', type, known)));
}

function sinceOf(query: ReadonlyMap<string, string>): Date {
  const text = query.get('since');
  if (text === undefined) return new Date(0);
  if (!z.iso.datetime({ offset: true }).safeParse(text).success)
    throw invalidQuery('since', 'expected a time such as 2026-01-02T03:04:05Z');
  return new Date(text);
}

/** Whether the data of an event name the object that is asked for. */
function aboutOf(query: ReadonlyMap<string, string>): (data: object) => boolean {
  const object = query.get('object')?.toLowerCase();
  if (object === undefined) return () => true;
  if (!/^[^/]+\/[^/]*\/[^/]+$/.test(object)) throw invalidQuery('object', 'expected KIND/NAMESPACE/NAME');
  return (data) => {
    const { kind = '', namespace = '', name = '' } = data as Readonly<Record<string, string | undefined>>;
    return [kind, namespace, name].join('/').toLowerCase() === object;
  };
}

const tooMany = (): HttpError =>
  new HttpError('too_many_streams', `${maxReaders} event streams are open`, { headers: { 'Retry-After': '5' } });
