import type { GraphView } from '../../graph/index.ts';
import { denialText, judgedRecord } from '../access/judged.ts';
import type { RouteTestResult } from './record.ts';
import type { TestedRoute } from './route-test-record.ts';

/** What happens to a request, with policies of access: what these deny, no rule takes. */
export async function withAccess(
  graph: GraphView,
  { record, access: question }: TestedRoute,
): Promise<RouteTestResult> {
  if (!question) return record;
  const access = await judgedRecord(graph, question);
  const denial = denialText(access);
  if (denial !== undefined)
    return { ...record, outcome: 'denied', status: access.status, reason: denial, location: null, access };
  const unsaid = access.parts.find(({ verdict }) => verdict === 'unknown');
  const hints = unsaid
    ? [`${unsaid.part}: ${unsaid.reason}; say it by \`from\` (--from)`, ...record.hints]
    : record.hints;
  return { ...record, access, hints };
}
