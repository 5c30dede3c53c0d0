import type { KindModule } from '../../graph/engine/index.ts';
import { anyNamespace, gatewayEdges, listenerSetEdges } from '../../graph/gateways/index.ts';
import { routeEdges } from '../../graph/routes/index.ts';

export const namespaceModule: KindModule<'Namespace'> = {
  about: {
    category: 'core',
    description: 'Labels by which listeners choose whose routes they take',
    writable: false,
    inTrials: 'all',
  },
  relevant: ({ metadata }) => metadata.labels ?? {},
  edges: {},
  // Asked once, and not for each of its routes: mostly no listener lets routes in by labels.
  marks({ key }, { dirty, edges }) {
    const isAsked = [gatewayEdges, listenerSetEdges].some(
      ({ routeNamespaces }) => edges.of(routeNamespaces).count(anyNamespace) > 0,
    );
    if (isAsked) for (const route of edges.of(routeEdges.namespace).sourcesOf(key)) dirty.routes.add(route);
  },
  status: { shape: 'none' },
};
