import type { KindModule } from '../../graph/engine/index.ts';
import { tokenPolicyEdges } from '../ai/index.ts';
import { markTokenPolicy, tokenPolicyConditions } from './token-policy.ts';

export const tokenPolicyModule: KindModule<'TokenPolicy'> = {
  about: {
    category: 'ai',
    description: 'Budgets of tokens or money for requests to models',
    writable: true,
    inTrials: 'none',
  },
  relevant: 'spec',
  edges: tokenPolicyEdges,
  marks: markTokenPolicy,
  status: {
    shape: 'conditions',
    of: (policy, _key, { store }) => ({ conditions: tokenPolicyConditions(policy, store) }),
  },
};
