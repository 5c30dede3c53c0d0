import * as z from 'zod';
import { parseDurationMs } from '../../std/index.ts';
import { inTurns } from '../../std/steps/index.ts';
import { answerOf, type Failure, gatewayFinder, type Sums } from '../../traffic/index.ts';
import { HttpError, invalidQuery, whole } from '../http/index.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { askReplicas } from '../traffic/ask-replicas.ts';
import { gapsOf, isAllOff } from '../traffic/gaps.ts';
import { type FailureFilter, failureTest, readFilter, subjectTest } from './failure-filter.ts';
import { type FailuresRecord, failures as record } from './record.ts';
import { showFailure } from './show.ts';

type Query = ReadonlyMap<string, string>;

const day = 24 * 3_600_000;
const ownPath = '/v1/replicas/failures';

const filters = {
  route: 'Only of this route, as KIND/NAMESPACE/NAME',
  backend: 'Only of this backend, as SERVICE:PORT or NAMESPACE/SERVICE:PORT',
  gateway: 'Only of this Gateway, as NAMESPACE/NAME',
  host: 'Only for this host, with or without its port',
  flag: 'Only with this flag, such as UF',
  status: 'Only with this status, such as 503 or 5xx',
};

/** What one replica has. */
interface Part {
  readonly failures: readonly Failure[];
  readonly seen: number | null;
  readonly warnings: readonly string[];
}

/** `/v1/failures`: requests that failed lately, as proxies reported them. */
export const failures: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/failures',
      summary: 'Requests that failed lately, the newest first, with what their flags mean',
      answer: record,
      isTagged: false,
      query: {
        ...filters,
        since: 'How far back, such as 15m, or a time; 15m by default, 24h at most',
        limit: 'How many at most, up to 500; 50 by default',
        cursor: '`next` of the answer before',
      },
      errors: ['query_invalid', 'token_not_configured'],
      handle: ({ query }, sources: AdminSources) => answer(query, sources),
    }),
    get({
      path: ownPath,
      summary: 'Those that this replica alone knows; replicas ask each other',
      answer: z.unknown(),
      isTagged: false,
      query: { ...filters, from: 'Milliseconds since 1970' },
      errors: ['query_invalid', 'token_not_configured'],
      handle: ({ query }, sources: AdminSources) => {
        const from = whole('from', query.get('from') ?? '0', 0, Number.MAX_SAFE_INTEGER);
        return own(readFilter(query), from, sources);
      },
    }),
  ],
};

async function answer(query: Query, sources: AdminSources): Promise<FailuresRecord> {
  const now = sources.now().getTime();
  const filter = readFilter(query);
  const limit = whole('limit', query.get('limit') ?? '50', 1, 500);
  const from = sinceOf(query.get('since') ?? '15m', now);
  const after = cursorOf(query.get('cursor'));
  const part = await all(query, filter, from, sources);
  const { graph } = sources;
  const rest = after === undefined ? part.failures : part.failures.filter((each) => comesAfter(each, after));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const show = { graph, listeners: [...graph.listeners()], gatewayOf: gatewayFinder(graph) };
  const isOff = isAllOff(graph.snapshot());
  return {
    items: page.map((failure) => showFailure(failure, show)),
    sampled: { kept: part.failures.length, seen: part.seen },
    complete: part.warnings.length === 0 && !isOff,
    warnings: [...part.warnings],
    next: last === undefined || page.length === rest.length ? null : `${last.at}.${last.id}`,
  };
}

/** What all replicas have. */
async function all(query: Query, filter: FailureFilter, from: number, sources: AdminSources): Promise<Part> {
  const asked = new URLSearchParams({ from: String(from) });
  for (const name of Object.keys(filters)) if (query.has(name)) asked.set(name, query.get(name) ?? '');
  const [here, others] = await Promise.all([
    own(filter, from, sources),
    askReplicas<Part>(`${ownPath}?${asked}`, sources),
  ]);
  const parts = [here, ...others.answers];
  const kept = parts.flatMap((part) => part.failures).sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  const isKnown = parts.every(({ seen }) => seen !== null);
  return {
    failures: kept,
    // Failures come at once, and counts up to a minute later.
    seen: isKnown
      ? Math.max(
          kept.length,
          parts.reduce((sum, { seen }) => sum + (seen ?? 0), 0),
        )
      : null,
    warnings: [...new Set([...parts.flatMap((part) => part.warnings), ...others.warnings])],
  };
}

async function own(filter: FailureFilter, from: number, sources: AdminSources): Promise<Part> {
  const { traffic, graph } = sources;
  if (!sources.showsRequests)
    throw new HttpError(
      'token_not_configured',
      'failed requests have hosts and paths of users: configure admin_auth, for this API is open beyond this machine',
    );
  const isWanted = failureTest(graph, filter);
  return {
    failures: traffic.failures().filter((failure) => failure.at >= from && isWanted(failure)),
    seen: await seenOf(filter, from, sources),
    warnings: gapsOf(from, sources),
  };
}

/** How many there were, by counters. */
async function seenOf(
  filter: FailureFilter,
  from: number,
  { traffic, graph, now }: AdminSources,
): Promise<number | null> {
  // Counters know neither hosts nor each status.
  if (filter.host !== undefined || filter.status !== undefined) return null;
  const isWanted = subjectTest(graph, filter);
  const to = now().getTime();
  const groupOf: Parameters<typeof answerOf>[1]['groupOf'] = (subject) => {
    if (!isWanted(subject)) return undefined;
    return subject.route === '' ? 'unrouted' : 'routed';
  };
  const { groups } = await inTurns(answerOf(traffic, { windowMs: to - from, now: to, groupOf }));
  const count = (sums: Sums | undefined, more: number): number =>
    filter.flag === undefined ? (sums?.failed ?? 0) + more : (sums?.flags[filter.flag] ?? 0);
  const unrouted = groups.get('unrouted')?.sums;
  return count(groups.get('routed')?.sums, 0) + count(unrouted, unrouted?.classes[4] ?? 0);
}

/** The beginning, in milliseconds since 1970. */
function sinceOf(text: string, now: number): number {
  const ms = parseDurationMs(text);
  const from = ms === undefined ? Date.parse(text) : now - ms;
  if (!Number.isNaN(from) && from <= now && from >= now - day) return from;
  throw invalidQuery(
    'since',
    'expected a duration such as 15m, or a time such as 2026-01-31T12:00:00Z, within the last 24h',
  );
}

type Cursor = Pick<Failure, 'at' | 'id'>;

function cursorOf(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  const [, at, id] = /^(\d{1,15})\.([0-9a-z-]{1,40})$/.exec(text) ?? [];
  if (at === undefined || id === undefined) throw invalidQuery('cursor', 'expected `next` of the answer before');
  return { at: Number(at), id };
}

const comesAfter = (failure: Cursor, { at, id }: Cursor): boolean =>
  failure.at < at || (failure.at === at && failure.id < id);
