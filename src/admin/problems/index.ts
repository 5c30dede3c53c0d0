import type { ObjectReference } from '../../graph/index.ts';
import { problemAreas } from '../../problems/index.ts';
import { oneOf, whole } from '../http/index.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import { timeText } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import { findProblems, verdictOf } from './find-problems.ts';
import type { Finding } from './problem.ts';
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
        name: 'Only of objects with one of these names, with commas; a Service stands for its ports, a Gateway for its listeners',
        object:
          'Only of this object, KIND/NAMESPACE/NAME as `object` of an item has them; of a route also those of its backends',
        limit: 'How many at most, up to 500; 50 by default',
        offset: 'How many to leave out before the first',
      },
      errors: ['query_invalid'],
      async handle({ query, ctx }, sources: AdminSources) {
        const limit = whole('limit', query.get('limit') ?? '50', 1, 500);
        const offset = whole('offset', query.get('offset') ?? '0', 0, Number.MAX_SAFE_INTEGER);
        const found = (await findProblems(sources, ofObject(query))).filter(wanted(query));
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

function ofObject(query: ReadonlyMap<string, string>): (finding: Finding) => boolean {
  const wanted = query.get('object');
  const names = query.get('name')?.split(',');
  const isMeant = ({ kind, namespace, name }: ObjectReference) => wanted === `${kind}/${namespace}/${name}`;
  return ({ object, users = [] }) => {
    if (wanted !== undefined && !isMeant(object) && ![...users].some(isMeant)) return false;
    return names === undefined || names.some((each) => isNamed(object, each));
  };
}

function wanted(query: ReadonlyMap<string, string>): (problem: ProblemRecord) => boolean {
  const severity = optional(query, 'severity', ['failing', 'warning']);
  const area = optional(query, 'area', problemAreas);
  const namespace = query.get('namespace');
  return (problem) =>
    (severity === undefined || problem.severity === severity) &&
    (area === undefined || problem.area === area) &&
    (namespace === undefined || problem.object.namespace === namespace);
}

function isNamed({ kind, name }: ProblemRecord['object'], wanted: string): boolean {
  if (name === wanted) return true;
  // `SERVICE:PORT`, and `NAMESPACE.GATEWAY.LISTENER`
  if (kind === 'Backend') return name.startsWith(`${wanted}:`);
  return kind === 'Listener' && name.split('.').includes(wanted);
}

function optional<const W extends string>(query: ReadonlyMap<string, string>, name: string, words: readonly W[]) {
  const value = query.get(name);
  return value === undefined ? undefined : oneOf(name, value, words);
}
