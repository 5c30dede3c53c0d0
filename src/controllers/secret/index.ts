import type { KindModule } from '../../graph/engine/index.ts';

export const secretModule: KindModule<'Secret'> = {
  about: {
    category: 'core',
    description: 'Certificates and keys of listeners, and what AIServices are called with',
    writable: false,
    inTrials: 'named',
  },
  relevant: ({ data }) => data ?? {},
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
