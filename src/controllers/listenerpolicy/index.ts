import type { KindModule } from '../../graph/engine/index.ts';
import { listenerPolicyEdges, markListenerPolicy } from './edges.ts';
import { listenerPolicyConditions, resolveListenerPolicies } from './listener-policy.ts';

export const listenerPolicyModule: KindModule<'ListenerPolicy'> = {
  about: {
    category: 'policy',
    description: 'How proxies treat clients: TLS, timeouts, limits, HTTP/3, addresses, logs, traces',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: listenerPolicyEdges,
  marks: markListenerPolicy,
  status: {
    shape: 'ancestors',
    of: (policy, key, { gateways }) => listenerPolicyConditions(policy, gateways.outcomesOf(key)),
  },
  listeners: { resolve: resolveListenerPolicies },
};
