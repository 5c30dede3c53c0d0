import type { KindModule } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { markTrafficPolicy, trafficPolicyEdges } from './edges.ts';
import { listenerTraffic, ruleTrafficSettings } from './settings.ts';
import { trafficPolicyConditions } from './status.ts';

export const trafficPolicyModule: KindModule<'TrafficPolicy'> = {
  about: {
    category: 'policy',
    description:
      'What happens to requests and answers on their way: retries, timeouts, bodies, compression, faults and more',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: trafficPolicyEdges,
  marks: markTrafficPolicy,
  status: { shape: 'ancestors', of: (policy, _key, context) => trafficPolicyConditions(policy, context) },
  policyOf: ({ kind, key }) => (kind === 'traffic' && !ir.isExtensionKey(key) ? ir.policyOfTraffic(key) : undefined),
  traffic: listenerTraffic,
  routes: ruleTrafficSettings,
};
