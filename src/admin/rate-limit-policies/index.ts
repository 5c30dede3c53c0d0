import { placedAt } from '../policy-places/targets.ts';
import type { Endpoints } from '../resource/endpoint.ts';
import { list } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { rateLimitEntries } from './entries.ts';
import { type RateLimitPolicyEntry, rateLimitPolicyEntry } from './record.ts';

/** `/v1/rate-limit-policies`: what requests to a Gateway, a ListenerSet or a route count against, or to all that policies are for. */
export const rateLimitPolicies: Endpoints<AdminSources> = {
  endpoints: [
    list({
      path: '/v1/rate-limit-policies',
      summary:
        'Which buckets of RateLimitPolicies requests count against, in order: at a `target` KIND/NAMESPACE/NAME, or at all that policies are for',
      record: rateLimitPolicyEntry,
      errors: ['route_not_found', 'resource_not_found'],
      entries: async ({ graph }: AdminSources, query) =>
        rateLimitEntries(placedAt(graph, ['RateLimitPolicy'], query.get('target'), (place) => graph.limitsAt(place))),
      filters: {
        target: () => () => true,
        state:
          (value) =>
          ({ state }) =>
            state === value,
      },
      sorts: {
        target: ({ target, gateway, rule, order }) =>
          [
            ...[target.kind, target.namespace, target.name, gateway.namespace, gateway.name],
            ...[rule ?? 0, order].map((each) => String(each).padStart(6, '0')),
          ].join('\0'),
      },
      present: () => (entry: RateLimitPolicyEntry) => entry,
    }),
  ],
};
