import type { KindModule } from '../../graph/engine/index.ts';
import { markXBackend, xBackendConditions, xBackendEdges, xBackendProvider } from '../../graph/index.ts';

export const xBackendModule: KindModule<'XBackend'> = {
  about: {
    category: 'backend',
    description: 'Something outside the cluster, or Pods, that routes forward to',
    writable: true,
  },
  relevant: 'spec',
  edges: xBackendEdges,
  marks: markXBackend,
  status: { shape: 'ancestors', of: xBackendConditions },
  provider: xBackendProvider,
};
