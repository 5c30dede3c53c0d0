import { pickerTlsAnnotation } from '../../gateway-api/index.ts';
import { type KindModule, versionsOf } from '../../graph/engine/index.ts';
import { serviceProvider } from './provider.ts';

export const serviceModule: KindModule<'Service'> = {
  about: { category: 'backend', description: 'Where routes forward to', writable: false, inTrials: 'named' },
  relevant: ({ metadata, spec }) => [spec, metadata.annotations?.[pickerTlsAnnotation]],
  edges: {},
  marks(change, { dirty, store }) {
    for (const service of versionsOf(change))
      for (const backend of serviceProvider.keysOf(service, store)) dirty.backends.add(backend);
  },
  status: { shape: 'none' },
  provider: serviceProvider,
};
