import { type Endpoints, get } from '../resource/endpoint.ts';
import { timeText } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import { isAllOff } from '../traffic/gaps.ts';
import { windowOf } from '../traffic/window.ts';
import { allPicks } from './pool-picks.ts';
import { type PicksRecord, picks as record } from './record.ts';

/** `/v1/picks`: which model servers of InferencePools were asked, and by whose choice. */
export const picks: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/picks',
      summary: 'Which model servers of InferencePools answered, and whether their picker chose them',
      answer: record,
      isTagged: false,
      query: {
        window: 'How far back, from 1m to 24h; 15m by default',
        namespace: 'Only of InferencePools in this namespace',
        name: 'Only of this InferencePool',
      },
      errors: ['query_invalid'],
      handle: ({ query }, sources: AdminSources) => answer(query, sources),
    }),
  ],
};

async function answer(query: ReadonlyMap<string, string>, sources: AdminSources): Promise<PicksRecord> {
  const asked = {
    windowMs: windowOf(query.get('window')),
    namespace: query.get('namespace'),
    name: query.get('name'),
  };
  const { from, to, pools, isReported, warnings } = await allPicks(asked, sources);
  const isKnown = isReported && !isAllOff(sources.graph.snapshot());
  return {
    window: { from: timeText(new Date(from)), to: timeText(new Date(to)) },
    source: isKnown ? 'agents' : 'none',
    complete: warnings.length === 0 && isKnown,
    warnings: warnings.length === 0 && !isKnown ? ['no proxy has reported traffic yet'] : [...warnings],
    items: pools,
  };
}
