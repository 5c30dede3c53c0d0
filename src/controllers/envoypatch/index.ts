import type { Change, KindModule, Marking } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { markRouteTargets, markTargets } from '../policies/index.ts';
import { listenerPatches } from './listener-patch.ts';
import { patchSetting } from './patch.ts';
import { routePatches } from './route-patch.ts';
import { envoyPatchConditions } from './status.ts';
import { patchedBackends, patchedRoutes } from './targets.ts';

export const envoyPatchModule: KindModule<'EnvoyPatch'> = {
  about: {
    category: 'policy',
    description: "Patches of Envoy's own configuration, for what no other kind has",
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: { target: patchedBackends.edge, route: patchedRoutes.edge },
  marks: markEnvoyPatch,
  status: { shape: 'ancestors', of: (policy, _key, context) => envoyPatchConditions(policy, context) },
  policyOf: ({ kind, key }) => (kind === 'patch' ? ir.policyOfPatch(key) : undefined),
  backends: { edge: patchedBackends.edge, reportsRejections: true, settingOf: patchSetting },
  routes: routePatches,
  traffic: listenerPatches,
};

function markEnvoyPatch(change: Change<'EnvoyPatch'>, marking: Marking): void {
  markTargets(patchedBackends, change, marking);
  markRouteTargets(patchedRoutes, change, marking);
}
