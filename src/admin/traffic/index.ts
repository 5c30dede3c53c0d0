import * as z from 'zod';
import { parseDurationMs } from '../../std/index.ts';
import { flag, invalidQuery, oneOf, whole } from '../http/index.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import { timeText } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import { allTraffic, ownTraffic, ownTrafficPath, type TrafficAsked, trafficPart } from './ask-traffic.ts';
import { isAllOff } from './gaps.ts';
import { groupings } from './groups.ts';
import { traffic as record, type TrafficRecord } from './record.ts';
import { showGroups, sorts } from './show.ts';
import { ownStandingPath } from './standing.ts';
import { reportTaken } from './taken-elsewhere.ts';
import { day, durationText, minute, windowOf } from './window.ts';

type Query = ReadonlyMap<string, string>;

const mostPoints = 1000;

/** `/v1/traffic`: what passed through the proxies of all replicas, without a metrics backend. */
export const traffic: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/traffic',
      summary: 'Requests, errors and durations by route, backend, listener, Gateway or proxy, as agents count them',
      answer: record,
      isTagged: false,
      query: {
        by: groupings.join(', '),
        window: 'How far back, from 1m to 24h; 15m by default',
        step: 'Length of the steps of series; the finest that is kept by default',
        namespace: 'Only of objects in this namespace',
        gateway: 'Only of this Gateway, as NAMESPACE/NAME',
        name: 'Only of this object; of backends SERVICE:PORT',
        sort: `${sorts.join(', ')}; errors by default`,
        limit: 'How many at most, up to 500; 50 by default',
        series: 'true: with counts over time',
        rule: 'true: each rule of a route by itself',
      },
      errors: ['query_invalid'],
      handle: ({ query }, sources: AdminSources) => answer(query, sources),
    }),
    get({
      path: ownTrafficPath,
      summary: 'What this replica alone counted; replicas ask each other',
      answer: z.unknown(),
      isTagged: false,
      query: {
        by: [...groupings, 'pick'].join(', '),
        byRule: 'true or false',
        windowMs: 'How far back, in milliseconds',
        stepMs: 'Length of steps; none without it',
        namespace: 'As for /v1/traffic',
        name: 'The same',
        gateway: 'The same',
      },
      errors: ['query_invalid'],
      handle: async ({ query }, sources: AdminSources) => trafficPart(await ownTraffic(partAsked(query), sources)),
    }),
    reportTaken,
    get({
      path: ownStandingPath,
      summary: 'What fails now by what this replica alone knows; replicas ask each other',
      answer: z.unknown(),
      isTagged: false,
      handle: (_, { traffic: store }: AdminSources) => store.standing(),
    }),
  ],
};

async function answer(query: Query, sources: AdminSources): Promise<TrafficRecord> {
  const windowMs = windowOf(query.get('window'));
  const stepMs = stepOf(query, windowMs, sources);
  const withSeries = flag('series', query.get('series') ?? 'false');
  const limit = whole('limit', query.get('limit') ?? '50', 1, 500);
  const sort = oneOf('sort', query.get('sort') ?? 'errors', sorts);
  const asked: TrafficAsked = {
    ...selectionOf(query, flag('rule', query.get('rule') ?? 'false')),
    windowMs,
    ...(withSeries && { stepMs }),
  };
  const { from, to, groups, isReported, warnings } = await allTraffic(asked, sources);
  const isKnown = isReported && !isAllOff(sources.graph.snapshot());
  return {
    window: { from: timeText(new Date(from)), to: timeText(new Date(to)), stepSeconds: stepMs / 1000 },
    source: isKnown ? 'agents' : 'none',
    complete: warnings.length === 0 && isKnown,
    warnings: warnings.length === 0 && !isKnown ? ['no proxy has reported traffic yet'] : [...warnings],
    ...showGroups(groups, { sort, limit, seconds: Math.max(1, (to - from) / 1000), withSeries }),
  };
}

const selectionOf = (query: Query, byRule: boolean, more: readonly 'pick'[] = []) => ({
  by: oneOf('by', query.get('by') ?? 'route', [...groupings, ...more]),
  byRule,
  namespace: query.get('namespace'),
  name: query.get('name'),
  gateway: gatewayOf(query),
});

function gatewayOf(query: Query): string | undefined {
  const gateway = query.get('gateway');
  if (gateway === undefined || /^[^/]+\/[^/]+$/.test(gateway)) return gateway;
  throw invalidQuery('gateway', 'expected NAMESPACE/NAME');
}

function partAsked(query: Query): TrafficAsked {
  const stepMs = query.get('stepMs');
  return {
    ...selectionOf(query, flag('byRule', query.get('byRule') ?? 'false'), ['pick']),
    windowMs: whole('windowMs', query.get('windowMs') ?? String(15 * minute), 1, day),
    ...(stepMs !== undefined && { stepMs: whole('stepMs', stepMs, 1000, day) }),
  };
}

/** Of series, in milliseconds. Throws a 400 for one that is finer than what is kept, or makes too many points. */
function stepOf(query: Query, windowMs: number, { traffic: store }: AdminSources): number {
  const finest = store.ledger.stepOf(windowMs);
  const text = query.get('step');
  if (text === undefined) return finest;
  const ms = parseDurationMs(text) ?? 0;
  if (ms > 0 && windowMs / ms > mostPoints)
    throw invalidQuery(
      'step',
      `that would be more than ${mostPoints} points: expected ${durationText(finest)} or more`,
    );
  if (ms < finest || ms % finest !== 0 || ms > day)
    throw invalidQuery(
      'step',
      `expected a multiple of ${durationText(finest)} for a window of ${durationText(windowMs)}, up to 24h`,
    );
  return ms;
}
