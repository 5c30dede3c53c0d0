import type { KindModule } from '../../graph/engine/index.ts';

/** Ingresses are made into other objects before the graph resolves anything: to the graph itself a class means nothing. */
export const ingressClassModule: KindModule<'IngressClass'> = {
  about: {
    category: 'gateway',
    description: 'Which Gateway serves Ingresses',
    writable: false,
    inTrials: 'none',
  },
  relevant: ({ metadata: { annotations }, spec }) => [annotations, spec],
  edges: {},
  marks: () => {},
  status: { shape: 'none' },
};
