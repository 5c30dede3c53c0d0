import { problemAreas } from '../../problems/index.ts';
import { oneOf, whole } from '../http/index.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import { timeText } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import { findProblems, verdictOf } from './find-problems.ts';
import { type ProblemRecord, problems as record } from './record.ts';

/** `/v1/problems`: everything that is wrong, where, and what to do. */
export const problems: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/problems',
      summary: 'Everything that is wrong, the worst first, with causes and next steps',
      answer: record,
      query: {
        severity: 'failing or warning',
        area: `Only of this: ${problemAreas.join(', ')}`,
        namespace: 'Only of objects in this namespace',
        object: 'Only of this object, KIND/NAMESPACE/NAME as `object` of an item has them',
        limit: 'How many at most, up to 500; 50 by default',
        offset: 'How many to leave out before the first',
      },
      errors: ['query_invalid'],
      async handle({ query, ctx }, sources: AdminSources) {
        const limit = whole('limit', query.get('limit') ?? '50', 1, 500);
        const offset = whole('offset', query.get('offset') ?? '0', 0, Number.MAX_SAFE_INTEGER);
        const found = (await findProblems(sources, ofObject(query.get('object')))).filter(wanted(query));
        ctx.set('X-Total-Count', String(found.length));
        return {
          ...verdictOf(found, sources),
          generatedAt: timeText(sources.now()),
          total: found.length,
          items: found.slice(offset, offset + limit),
        };
      },
    }),
  ],
};

const ofObject =
  (wanted: string | undefined) =>
  ({ kind, namespace, name }: ProblemRecord['object']): boolean =>
    wanted === undefined || wanted === `${kind}/${namespace}/${name}`;

function wanted(query: ReadonlyMap<string, string>): (problem: ProblemRecord) => boolean {
  const severity = optional(query, 'severity', ['failing', 'warning']);
  const area = optional(query, 'area', problemAreas);
  const namespace = query.get('namespace');
  return (problem) =>
    (severity === undefined || problem.severity === severity) &&
    (area === undefined || problem.area === area) &&
    (namespace === undefined || problem.object.namespace === namespace);
}

function optional<const W extends string>(query: ReadonlyMap<string, string>, name: string, words: readonly W[]) {
  const value = query.get(name);
  return value === undefined ? undefined : oneOf(name, value, words);
}
