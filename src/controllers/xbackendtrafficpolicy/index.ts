import type { KindModule } from '../../graph/engine/index.ts';
import {
  markTrafficPolicy,
  retrySetting,
  sessionOfTarget,
  trafficPolicyConditions,
  trafficTargets,
} from './traffic-policy.ts';

export const xBackendTrafficPolicyModule: KindModule<'XBackendTrafficPolicy'> = {
  about: {
    category: 'policy',
    description: 'How requests to a Service are tried again',
    writable: true,
    inTrials: 'none',
  },
  relevant: 'spec',
  edges: { target: trafficTargets.edge },
  marks: markTrafficPolicy,
  status: { shape: 'ancestors', of: (policy, _key, context) => trafficPolicyConditions(policy, context) },
  backends: {
    edge: trafficTargets.edge,
    reportsRejections: false,
    settingOf: retrySetting,
    sessionOf: sessionOfTarget,
  },
};
