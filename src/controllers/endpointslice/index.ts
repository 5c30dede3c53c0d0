import { backendsOfOwner } from '../../graph/backends/index.ts';
import { type KindModule, serviceKeyOf, versionsOf } from '../../graph/engine/index.ts';

export const endpointSliceModule: KindModule<'EndpointSlice'> = {
  about: { category: 'backend', description: 'The addresses behind a Service', writable: false, inTrials: 'none' },
  relevant: ({ metadata, addressType, endpoints, ports }) => [
    metadata.labels?.['kubernetes.io/service-name'],
    addressType,
    endpoints,
    ports,
  ],
  edges: {},
  marks(change, { dirty, store }) {
    for (const slice of versionsOf(change)) {
      const service = serviceKeyOf('EndpointSlice', slice);
      for (const backend of service ? backendsOfOwner(service, store) : []) dirty.backends.add(backend);
    }
  },
  status: { shape: 'none' },
};
