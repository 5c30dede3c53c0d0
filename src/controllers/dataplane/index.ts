import type { KindModule } from '../../graph/engine/index.ts';
import { dataPlaneStatus } from './status.ts';

export const dataPlaneModule: KindModule<'DataPlane'> = {
  about: { category: 'gateway', description: 'How the proxies of Gateways are run', writable: true, inTrials: 'all' },
  relevant: 'spec',
  edges: {},
  marks: ({ key }, { dirty }) => dirty.markStatus('DataPlane', key),
  status: { shape: 'conditions', of: dataPlaneStatus },
};
