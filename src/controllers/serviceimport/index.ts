import { type KindModule, versionsOf } from '../../graph/engine/index.ts';
import { serviceImportProvider } from './provider.ts';

export const serviceImportModule: KindModule<'ServiceImport'> = {
  about: { category: 'backend', description: 'A Service of other clusters', writable: false, inTrials: 'named' },
  relevant: 'spec',
  edges: {},
  marks(change, { dirty, store }) {
    for (const object of versionsOf(change))
      for (const backend of serviceImportProvider.keysOf(object, store)) dirty.backends.add(backend);
  },
  status: { shape: 'none' },
  provider: serviceImportProvider,
};
