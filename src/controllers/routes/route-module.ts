import type { RouteKindName } from '../../gateway-api/index.ts';
import type { KindModule } from '../../graph/engine/index.ts';
import { type HttpRouteObject, routeKey } from '../../graph/model/index.ts';
import { filterEdges, routeEdges } from '../../graph/routes/index.ts';

/** The kinds of route have all in common but how they are resolved, which a stage of the build does. */
export const routeModule = (kind: RouteKindName, description: string): KindModule<RouteKindName> => ({
  about: { category: 'route', description, writable: true, inTrials: 'none' },
  relevant: 'spec',
  sourceKey: (key) => routeKey(kind, key),
  edges: routeEdges,
  marks({ key }, { dirty }) {
    dirty.routes.add(routeKey(kind, key));
  },
  status: { shape: 'stage' },
});

type FilteredKind = HttpRouteObject['kind'];

/** Those of requests, whose rules have filters. */
export const filteredRouteModule = (kind: FilteredKind, description: string): KindModule<FilteredKind> => ({
  ...routeModule(kind, description),
  edges: { ...routeEdges, ...filterEdges },
});
