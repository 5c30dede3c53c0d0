import { backendsOfService } from '../../graph/backends/index.ts';
import { type KindModule, versionsOf } from '../../graph/engine/index.ts';

export const serviceModule: KindModule<'Service'> = {
  about: { category: 'backend', description: 'Where routes forward to', writable: false },
  relevant: ({ spec }) => spec,
  edges: {},
  marks(change, { dirty }) {
    for (const service of versionsOf(change))
      for (const backend of backendsOfService(service)) dirty.backends.add(backend);
  },
  status: { shape: 'none' },
};
