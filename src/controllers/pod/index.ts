import { activePortsAnnotation } from '../../gateway-api/index.ts';
import type { KindModule } from '../../graph/engine/index.ts';

export const podModule: KindModule<'Pod'> = {
  about: {
    category: 'backend',
    description: 'The addresses behind an XBackend or InferencePool that selects Pods',
    writable: false,
    inTrials: 'none',
  },
  relevant: ({ metadata, spec, status }) => [
    metadata.labels,
    metadata.annotations?.[activePortsAnnotation],
    metadata.deletionTimestamp !== undefined,
    spec,
    status,
  ],
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
