import type { KindModule } from '../../graph/engine/index.ts';

export const referenceGrantModule: KindModule<'ReferenceGrant'> = {
  about: {
    category: 'policy',
    description: 'Lets objects of other namespaces refer to what is in this one',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
