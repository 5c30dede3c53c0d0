import type { KindModule } from '../../graph/engine/index.ts';
import {
  listenerPolicyConditions,
  listenerPolicyEdges,
  markListenerPolicy,
  settleListenerPolicies,
} from '../../graph/index.ts';

export const listenerPolicyModule: KindModule<'ListenerPolicy'> = {
  about: {
    category: 'policy',
    description: 'How proxies treat clients: TLS, timeouts, limits, HTTP/3, addresses, logs, traces',
    writable: true,
  },
  relevant: 'spec',
  edges: listenerPolicyEdges,
  marks: markListenerPolicy,
  status: {
    shape: 'ancestors',
    of: (policy, key, { gateways }) => listenerPolicyConditions(policy, gateways.outcomesOf(key)),
  },
  listeners: { resolve: settleListenerPolicies },
};
