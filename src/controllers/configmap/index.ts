import type { KindModule } from '../../graph/engine/index.ts';

export const configMapModule: KindModule<'ConfigMap'> = {
  about: {
    category: 'core',
    description: 'Certificates of authorities, keys that tokens are verified by, and pages for errors',
    writable: false,
    inTrials: 'named',
  },
  relevant: ({ data }) => data ?? {},
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
