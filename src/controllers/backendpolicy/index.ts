import type { KindModule } from '../../graph/engine/index.ts';
import { markTargets } from '../policies/index.ts';
import { backendPolicyConditions } from './status.ts';
import { tunedTargets, tuningOf } from './tuning.ts';

export const backendPolicyModule: KindModule<'BackendPolicy'> = {
  about: {
    category: 'policy',
    description: 'How proxies treat backends: health checks, limits, choice of endpoints, timeouts',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: { target: tunedTargets.edge },
  marks: (change, marking) => markTargets(tunedTargets, change, marking),
  status: { shape: 'ancestors', of: (policy, _key, context) => backendPolicyConditions(policy, context) },
  backends: {
    edge: tunedTargets.edge,
    reportsRejections: true,
    settingOf(owner, { protocol }, lookup) {
      const tuning = tuningOf(owner, protocol, lookup);
      return tuning && { fields: { tuning } };
    },
  },
};
