import type { KindModule } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { extensionPolicyEdges, markCode, markExtensionPolicy } from './edges.ts';
import { moduleProvider } from './module/index.ts';
import { listenerExtensions, routeExtensions } from './settings.ts';
import { extensionPolicyConditions } from './status.ts';

export { imageFault, imageOf, notPulled, notRead, pulledModuleCode } from './module/index.ts';

export const extensionPolicyModule: KindModule<'ExtensionPolicy'> = {
  about: {
    category: 'policy',
    description:
      'Servers, scripts and modules of your own that see requests and answers on their way, and may change or answer them',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: extensionPolicyEdges,
  marks: markExtensionPolicy,
  marksCode: markCode,
  status: { shape: 'ancestors', of: (policy, _key, context) => extensionPolicyConditions(policy, context) },
  policyOf: ({ kind, key }) => (kind === 'traffic' && ir.isExtensionKey(key) ? ir.policyOfTraffic(key) : undefined),
  traffic: listenerExtensions,
  routes: routeExtensions,
  provider: moduleProvider,
};
