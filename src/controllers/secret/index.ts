import { credentialsLabel } from '../../gateway-api/index.ts';
import type { KindModule } from '../../graph/engine/index.ts';

export const secretModule: KindModule<'Secret'> = {
  about: {
    category: 'core',
    description:
      'Certificates and keys of listeners, what AIServices are called with, and keys and passwords of clients',
    writable: false,
    inTrials: 'named',
  },
  relevant: ({ data, metadata }) => [data ?? {}, metadata.labels?.[credentialsLabel]],
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
