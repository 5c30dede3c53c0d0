import type { KindModule } from '../../graph/engine/index.ts';

export const podModule: KindModule<'Pod'> = {
  about: {
    category: 'backend',
    description: 'The addresses behind an XBackend that selects Pods',
    writable: false,
    inTrials: 'none',
  },
  relevant: ({ metadata, spec, status }) => [metadata.labels, metadata.deletionTimestamp !== undefined, spec, status],
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
