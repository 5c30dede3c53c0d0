import type { KindModule } from '../../graph/engine/index.ts';

export const configMapModule: KindModule<'ConfigMap'> = {
  about: {
    category: 'core',
    description: 'Certificates of authorities that clients or backends are checked by',
    writable: false,
    inTrials: 'named',
  },
  relevant: ({ data }) => data?.['ca.crt'] ?? '',
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
