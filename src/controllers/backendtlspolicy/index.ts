import type { KindModule } from '../../graph/engine/index.ts';
import { backendTlsEdges, backendTlsPolicyConditions, markBackendTlsPolicy, tlsSetting } from './backend-tls-policy.ts';

export const backendTlsPolicyModule: KindModule<'BackendTLSPolicy'> = {
  about: {
    category: 'policy',
    description: 'TLS to a Service, with the name and authorities it is checked by',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: backendTlsEdges,
  marks: markBackendTlsPolicy,
  status: { shape: 'ancestors', of: (policy, _key, context) => backendTlsPolicyConditions(policy, context) },
  backends: {
    edge: backendTlsEdges.service,
    reportsRejections: true,
    settingOf: (_owner, backend, lookup) => tlsSetting(backend, lookup),
  },
};
