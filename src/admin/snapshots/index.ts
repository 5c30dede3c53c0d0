import * as z from 'zod';
import { weakerBy } from '../../offline/access/index.ts';
import { irDifferences } from '../diff/ir-differences.ts';
import { HttpError, invalidQuery, whole } from '../http/index.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import { timeText } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import { type PastSnapshotRecord, pastSnapshot, snapshotDiff } from './record.ts';
import type { PastSnapshot, SnapshotHistory } from './snapshot-history.ts';

/** `/v1/snapshots` and `GET /v1/diff`: what changed between the snapshots that this replica published lately. */
export const snapshots: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/snapshots',
      summary: 'The newest 20 snapshots that this replica published, the newest first, with what led to each',
      answer: z.array(pastSnapshot),
      handle: (_, { history }: AdminSources) => history.list().map(present),
    }),
    get({
      path: '/v1/diff',
      summary: 'How two snapshots of `/v1/snapshots` differ; keys and certificates are named, not shown',
      answer: snapshotDiff,
      query: {
        from: 'The id of the earlier snapshot; by default the one before `to`, if there is one',
        to: 'The id of the later snapshot; by default the newest',
        limit: 'How many differences at most, up to 500; 100 by default',
      },
      errors: ['query_invalid', 'snapshot_not_kept'],
      handle: ({ query }, { history, graph }: AdminSources) => {
        const { from, to } = spanOf(query, history);
        const found = history.between(from, to);
        if (found === undefined) throw notKept(from, to, history);
        const all = found.changes.flatMap(irDifferences);
        const limit = whole('limit', query.get('limit') ?? '100', 1, 500);
        const weaker = weakerBy(found.changes, (gateway, table) =>
          found.guardsAfter(gateway, table, () => graph.snapshot()?.gateways.get(gateway)?.tables.get(table)?.access),
        );
        return {
          from,
          to,
          complete: found.isComplete,
          total: all.length,
          ir: all.slice(0, limit),
          weaker: weaker.slice(0, limit).map(({ route = null, ...each }) => ({ ...each, route })),
        };
      },
    }),
  ],
};

const present = ({ id, at, changed, changedCount, changeCount, convergedMs }: PastSnapshot): PastSnapshotRecord => ({
  id,
  at: timeText(at),
  changed: [...changed],
  changedCount,
  differenceCount: changeCount,
  convergedMs: convergedMs === undefined ? null : Math.round(convergedMs),
});

function spanOf(
  query: ReadonlyMap<string, string>,
  history: SnapshotHistory,
): { readonly from: string; readonly to: string } {
  const ids = history.list().map(({ id }) => id);
  const to = query.get('to') ?? ids[0];
  if (to === undefined) throw new HttpError('snapshot_not_kept', 'no snapshot was published yet');
  return { from: query.get('from') ?? ids[ids.indexOf(to) + 1] ?? to, to };
}

function notKept(from: string, to: string, history: SnapshotHistory): HttpError {
  const isKept = (wanted: string) => history.list().some(({ id }) => id === wanted);
  const missing = [from, to].find((id) => !isKept(id));
  return missing === undefined
    ? invalidQuery('from', 'expected a snapshot that is older than `to`')
    : new HttpError(
        'snapshot_not_kept',
        `snapshot ${JSON.stringify(missing)} is not among the newest 20 of this replica`,
      );
}
