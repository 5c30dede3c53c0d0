import { placedAt } from '../policy-places/targets.ts';
import type { Endpoints } from '../resource/endpoint.ts';
import { list } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { trafficEntry } from './entries.ts';
import { type TrafficPolicyEntry, trafficPolicyEntry, trafficPolicyKinds } from './record.ts';

/** `/v1/traffic-policies`: which policies say what of requests at a Gateway, a ListenerSet or a route, or at all that policies are for. */
export const trafficPolicies: Endpoints<AdminSources> = {
  endpoints: [
    list({
      path: '/v1/traffic-policies',
      summary:
        'What TrafficPolicies, ExtensionPolicies and EnvoyPatches do to requests, group by group, and which of them holds: at a `target` KIND/NAMESPACE/NAME, or at all that policies are for',
      record: trafficPolicyEntry,
      errors: ['route_not_found', 'resource_not_found'],
      entries: async ({ graph }: AdminSources, query) =>
        placedAt(graph, trafficPolicyKinds, query.get('target'), (place) => graph.trafficAt(place)).map(trafficEntry),
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
