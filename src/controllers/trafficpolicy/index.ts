import type { KindModule } from '../../graph/engine/index.ts';
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
  traffic: listenerTraffic,
  routes: ruleTrafficSettings,
};
