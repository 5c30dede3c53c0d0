import type { KindModule } from '../../graph/engine/index.ts';
import { markXBackend, xBackendEdges } from './edges.ts';
import { xBackendProvider } from './provider.ts';
import { xBackendConditions } from './status.ts';

export const xBackendModule: KindModule<'XBackend'> = {
  about: {
    category: 'backend',
    description: 'Something outside the cluster, or Pods, that routes forward to',
    writable: true,
    inTrials: 'named',
  },
  relevant: 'spec',
  edges: xBackendEdges,
  marks: markXBackend,
  status: { shape: 'ancestors', of: xBackendConditions },
  provider: xBackendProvider,
};
