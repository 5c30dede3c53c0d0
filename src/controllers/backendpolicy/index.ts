import type { KindModule } from '../../graph/engine/index.ts';
import { markBackendPolicy } from './marks.ts';
import { backendPolicyConditions } from './status.ts';
import { retriesOf, tunedTargets, tuningOf } from './tuning.ts';

export const backendPolicyModule: KindModule<'BackendPolicy'> = {
  about: {
    category: 'policy',
    description: 'How proxies treat backends: health checks, limits, choice of endpoints, timeouts, retries',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: { target: tunedTargets.edge },
  marks: markBackendPolicy,
  status: { shape: 'ancestors', of: (policy, _key, context) => backendPolicyConditions(policy, context) },
  backends: {
    edge: tunedTargets.edge,
    reportsRejections: true,
    settingOf(owner, { protocol }, lookup) {
      const tuning = tuningOf(owner, protocol, lookup);
      return tuning && { fields: { tuning } };
    },
    retriesOf,
  },
};
