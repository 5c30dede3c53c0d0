import { backendsOfOwner } from '../../graph/backends/index.ts';
import { type KindModule, sliceOwners, versionsOf } from '../../graph/engine/index.ts';
import { markFailoversTo } from '../policies/index.ts';

export const endpointSliceModule: KindModule<'EndpointSlice'> = {
  about: {
    category: 'backend',
    description: 'The addresses behind a Service or ServiceImport',
    writable: false,
    inTrials: 'none',
  },
  relevant: ({ metadata, addressType, endpoints, ports }) => [
    metadata.labels?.['kubernetes.io/service-name'],
    metadata.labels?.['multicluster.kubernetes.io/service-name'],
    addressType,
    endpoints,
    ports,
  ],
  edges: {},
  marks(change, marking) {
    const { dirty, store } = marking;
    for (const owner of versionsOf(change).flatMap((slice) => sliceOwners('EndpointSlice', slice))) {
      for (const backend of backendsOfOwner(owner, store)) dirty.backends.add(backend);
      markFailoversTo(owner, marking);
    }
  },
  status: { shape: 'none' },
};
