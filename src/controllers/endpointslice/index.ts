import { backendsOfOwner } from '../../graph/backends/index.ts';
import { type KindModule, serviceKeyOf, versionsOf } from '../../graph/engine/index.ts';
import { markFailoversTo } from '../policies/index.ts';

export const endpointSliceModule: KindModule<'EndpointSlice'> = {
  about: { category: 'backend', description: 'The addresses behind a Service', writable: false, inTrials: 'none' },
  relevant: ({ metadata, addressType, endpoints, ports }) => [
    metadata.labels?.['kubernetes.io/service-name'],
    addressType,
    endpoints,
    ports,
  ],
  edges: {},
  marks(change, marking) {
    const { dirty, store } = marking;
    for (const slice of versionsOf(change)) {
      const service = serviceKeyOf('EndpointSlice', slice);
      if (!service) continue;
      for (const backend of backendsOfOwner(service, store)) dirty.backends.add(backend);
      markFailoversTo(service, marking);
    }
  },
  status: { shape: 'none' },
};
