import type { KindModule } from '../../graph/engine/index.ts';

export const configMapModule: KindModule<'ConfigMap'> = {
  about: {
    category: 'core',
    description:
      'Certificates of authorities, keys that tokens are verified by, pages for errors, and modules of extensions',
    writable: false,
    inTrials: 'named',
  },
  relevant: ({ data = {}, binaryData }) => (binaryData ? { data, binaryData } : data),
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
