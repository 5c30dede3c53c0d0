import type { KindModule } from '../../graph/engine/index.ts';
import { policyOfDemand } from '../../ir/index.ts';
import { accessPolicyEdges, markAccessPolicy, markByLocation } from './edges.ts';
import { accessExplainer } from './explain.ts';
import { loginProvider } from './login-provider.ts';
import { closesFor } from './parts/index.ts';
import { guards, routeAccess } from './settings.ts';
import { accessPolicyConditions } from './status.ts';

export { fetchedKeysOf } from './parts/index.ts';

export const accessPolicyModule: KindModule<'AccessPolicy'> = {
  about: {
    category: 'policy',
    description: 'Who may come in: client addresses, logins, keys, passwords, tokens, servers that are asked, rules',
    writable: true,
    inTrials: 'all',
  },
  relevant: (policy) => [policy.metadata.generation, policy.metadata.creationTimestamp, policy.spec, closesFor(policy)],
  edges: accessPolicyEdges,
  marks: markAccessPolicy,
  marksDatabases: markByLocation,
  status: {
    shape: 'ancestors',
    of: (policy, _key, context) => accessPolicyConditions(policy, context),
    rest: (key) => `/v1/access?policy=${key}`,
  },
  policyOf: ({ kind, key }) => (kind === 'access' ? policyOfDemand(key) : undefined),
  gateways: guards,
  access: accessExplainer,
  routes: routeAccess,
  provider: loginProvider,
};
