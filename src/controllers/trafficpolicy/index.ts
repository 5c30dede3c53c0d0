import type { KindModule } from '../../graph/engine/index.ts';
import { markTrafficPolicy, trafficPolicyEdges } from './edges.ts';
import { listenerTraffic, ruleTrafficSettings } from './settings.ts';
import { trafficPolicyConditions } from './status.ts';

export const trafficPolicyModule: KindModule<'TrafficPolicy'> = {
  about: {
    category: 'policy',
    description:
      'What happens to requests on their way: retries, timeouts, hashes, limits of bodies, compression, faults',
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
