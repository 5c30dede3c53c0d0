import { objectKey } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { partsOfTarget } from '../access/target-name.ts';
import { HttpError } from '../http/index.ts';
import type { Endpoints } from '../resource/endpoint.ts';
import { list } from '../resource/resource.ts';
import { findRouteKind } from '../routes/route-kinds.ts';
import { findRoute } from '../routes/route-record.ts';
import type { AdminSources } from '../sources.ts';
import { ownerEntries, routeEntries } from './entries.ts';
import { type TrafficPolicyEntry, trafficPolicyEntry } from './record.ts';

/** `/v1/traffic-policies`: which policies say what of requests at a Gateway, a ListenerSet or a route, or at all that policies are for. */
export const trafficPolicies: Endpoints<AdminSources> = {
  endpoints: [
    list({
      path: '/v1/traffic-policies',
      summary:
        'What TrafficPolicies say of requests, group by group, and which of them holds: at a `target` KIND/NAMESPACE/NAME, or at all that policies are for',
      record: trafficPolicyEntry,
      errors: ['route_not_found', 'resource_not_found'],
      entries: async ({ graph }: AdminSources, query) => {
        const target = query.get('target');
        return (target === undefined ? allTargets(graph) : [target]).flatMap((each) => entriesOf(graph, each));
      },
      filters: {
        target: () => () => true,
        group:
          (value) =>
          ({ group }) =>
            group === value,
        state:
          (value) =>
          ({ state }) =>
            state === value,
      },
      sorts: {
        target: ({ target, rule, group }) => [target.kind, target.namespace, target.name, rule, group].join('\0'),
      },
      present: () => (entry: TrafficPolicyEntry) => entry,
    }),
  ],
};

/** Those that are there, each once. */
function allTargets(graph: GraphView): string[] {
  const targets = [...graph.list('TrafficPolicy')].flatMap(({ metadata, spec }) =>
    spec.targetRefs.flatMap(({ kind, name }) =>
      graph.find(kind, objectKey(metadata.namespace ?? '', name)) ? `${kind}/${metadata.namespace}/${name}` : [],
    ),
  );
  return [...new Set(targets)].sort();
}

function entriesOf(graph: GraphView, target: string): readonly TrafficPolicyEntry[] {
  const [word, namespace, name] = partsOfTarget(target);
  const key = objectKey(namespace, name);
  const owner = (['Gateway', 'ListenerSet'] as const).find((each) => each.toLowerCase() === word.toLowerCase());
  if (owner) {
    const object = graph.find(owner, key);
    if (!object) throw new HttpError('resource_not_found', `there is no ${owner} ${key}`);
    return ownerEntries(graph, object);
  }
  const kind = findRouteKind(word);
  const route = kind && findRoute(graph, kind, key);
  if (!route) throw new HttpError('route_not_found', `there is no ${target}: write KIND/NAMESPACE/NAME`);
  return routeEntries(graph, route);
}
