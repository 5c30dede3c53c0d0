import { pickerModeAnnotation } from '../../gateway-api/index.ts';
import type { KindModule } from '../../graph/engine/index.ts';
import { markPool, poolEdges } from './edges.ts';
import { poolProvider } from './provider.ts';
import { poolConditions } from './status.ts';

export const inferencePoolModule: KindModule<'InferencePool'> = {
  about: {
    category: 'ai',
    description: 'Pods with models that routes forward to, and the picker that chooses among them',
    writable: true,
    inTrials: 'named',
  },
  relevant: ({ metadata, spec }) => [spec, metadata.annotations?.[pickerModeAnnotation], metadata.generation],
  edges: poolEdges,
  marks: markPool,
  status: { shape: 'gateways', of: poolConditions },
  provider: poolProvider,
};
