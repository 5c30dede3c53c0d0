import type { KindModule } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { limitTargets, markRouteTargets } from '../policies/index.ts';
import { serviceEdge } from './service.ts';
import { listenerLimits, routeLimits } from './settings.ts';
import { rateLimitPolicyConditions } from './status.ts';

export const rateLimitPolicyModule: KindModule<'RateLimitPolicy'> = {
  about: {
    category: 'policy',
    description: 'How many requests come through, by client, header, path or route',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: { target: limitTargets.edge, service: serviceEdge },
  marks: (change, marking) => markRouteTargets(limitTargets, change, marking),
  status: {
    shape: 'ancestors',
    of: (policy, _key, context) => rateLimitPolicyConditions(policy, context),
  },
  policyOf: ({ kind, key }) => (kind === 'limit' ? ir.policyOfBucket(key) : undefined),
  limits: listenerLimits,
  routes: routeLimits,
};
