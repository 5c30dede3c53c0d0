import { invalidQuery, oneOf, whole } from '../http/index.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { topology as record, topologyTypes } from './record.ts';
import { findTopology, type TopologyFilter } from './topology.ts';

/** `/v1/topology`: what depends on what. */
export const topology: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/topology',
      summary: 'What depends on what',
      answer: record,
      query: {
        type: 'Only nodes of this type',
        namespace: 'Only nodes of this namespace',
        gateway: 'Only this Gateway (`NAMESPACE/NAME` or `NAME`) and all around it',
        name: 'Only nodes with this name, and their neighbours',
        focus:
          'Only what requests for this object pass, before it and behind it: `KIND/NAMESPACE/NAME`, as `object` of a problem has them',
        depth: 'With `focus`: how many edges away, up to 5; 5 by default',
        group:
          '`namespace`: one node for all routes of a namespace, one for its backends, one for their endpoints; `many`: the same where more than 60 nodes fit',
        limit:
          'How many nodes at most, up to 2000: the nearest to the focus first, then the worst. 300 by default with `focus` or `group`, else all',
      },
      needsSync: true,
      errors: ['query_invalid', 'resource_not_found'],
      handle({ query }, sources: AdminSources) {
        const type = query.get('type');
        return findTopology(sources, {
          type: type === undefined ? undefined : oneOf('type', type, topologyTypes),
          namespace: query.get('namespace'),
          gateway: query.get('gateway'),
          name: query.get('name'),
          ...viewOf(query),
        });
      },
    }),
  ],
};

/** Far beyond what a person can look at. */
const mostNodes = 2000;
const usualNodes = 300;
/** From a class to endpoints. */
const farthest = 5;

function viewOf(query: ReadonlyMap<string, string>): Pick<TopologyFilter, 'focus' | 'depth' | 'group' | 'limit'> {
  const [focus, depth, group, limit] = ['focus', 'depth', 'group', 'limit'].map((name) => query.get(name));
  if (depth !== undefined && focus === undefined) throw invalidQuery('depth', 'known with focus only');
  const isNarrow = focus !== undefined || group !== undefined;
  return {
    focus,
    depth: whole('depth', depth ?? String(farthest), 0, farthest),
    group: group === undefined ? undefined : oneOf('group', group, ['namespace', 'many']),
    limit: limit === undefined && !isNarrow ? undefined : whole('limit', limit ?? String(usualNodes), 1, mostNodes),
  };
}
