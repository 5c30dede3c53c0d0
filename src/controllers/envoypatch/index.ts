import type { KindModule } from '../../graph/engine/index.ts';
import { markTargets } from '../policies/index.ts';
import { patchedTargets, patchSetting } from './patch.ts';
import { envoyPatchConditions } from './status.ts';

export const envoyPatchModule: KindModule<'EnvoyPatch'> = {
  about: {
    category: 'policy',
    description: "Patches of Envoy's own configuration, for what no other kind has",
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: { target: patchedTargets.edge },
  marks: (change, marking) => markTargets(patchedTargets, change, marking),
  status: { shape: 'ancestors', of: (policy, _key, context) => envoyPatchConditions(policy, context) },
  backends: { edge: patchedTargets.edge, reportsRejections: true, settingOf: patchSetting },
};
