import type { KindModule } from '../../graph/engine/index.ts';

export const clusterTrustBundleModule: KindModule<'ClusterTrustBundle'> = {
  about: {
    category: 'core',
    description: 'Certificates of authorities for the whole cluster',
    writable: false,
    inTrials: 'named',
  },
  relevant: 'spec',
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
