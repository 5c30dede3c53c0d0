import type { KindModule } from '../../graph/engine/index.ts';
import { failoverEdge } from '../policies/index.ts';
import { failoverOf } from './failover.ts';
import { markBackendPolicy } from './marks.ts';
import { serviceAddress } from './service-address.ts';
import { backendPolicyConditions } from './status.ts';
import { goesToService, retriesOf, tunedTargets, tuningOf } from './tuning.ts';

export const backendPolicyModule: KindModule<'BackendPolicy'> = {
  about: {
    category: 'policy',
    description: 'How proxies treat backends: health checks, limits, choice of endpoints, timeouts, retries',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: { target: tunedTargets.edge, failover: failoverEdge },
  marks: markBackendPolicy,
  status: { shape: 'ancestors', of: (policy, _key, context) => backendPolicyConditions(policy, context) },
  backends: {
    edge: tunedTargets.edge,
    reportsRejections: true,
    settingOf(owner, backend, lookup) {
      const tuning = tuningOf(owner, backend.protocol, lookup);
      const address = goesToService(owner, lookup) ? serviceAddress(backend, lookup) : undefined;
      const failover = failoverOf(owner, backend, lookup);
      return tuning && { fields: { tuning }, ...(address && { endpoints: [address] }), ...(failover && { failover }) };
    },
    retriesOf,
  },
};
