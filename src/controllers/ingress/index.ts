import type { KindModule } from '../../graph/engine/index.ts';

/** Ingresses are made into other objects before the graph resolves anything: to the graph itself they mean nothing. */
export const ingressModule: KindModule<'Ingress'> = {
  about: {
    category: 'route',
    description: 'HTTP requests by host and path, in the older API',
    writable: false,
    inTrials: 'none',
  },
  relevant: ({ metadata: { annotations }, spec }) => [annotations, spec],
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
