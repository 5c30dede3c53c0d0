import { type Endpoint, list } from '../endpoint.ts';
import { LazyList } from '../http/index.ts';
import { namespaceList, resourceKindList, serviceList } from '../lists/catalog.ts';
import {
  indexSlices,
  listNamespaces,
  listResourceKinds,
  resourceKindRecord,
  serviceRecord,
  type World,
} from '../read-model/index.ts';

/** What there is to choose from: namespaces, kinds and Services. */
export const catalogEndpoints = (world: World): readonly Endpoint[] => [
  list('/v1/namespaces', namespaceList, {
    entries: () => listNamespaces(world.graph),
    present: (page) => page,
  }),
  list('/v1/resource-kinds', resourceKindList, {
    entries: listResourceKinds,
    present: (page) => page.map((kind) => resourceKindRecord(kind, world)),
  }),
  list('/v1/service-catalog', serviceList, {
    entries: () => world.graph.list('Service'),
    present: (page) => {
      const slicesOf = indexSlices(world.graph);
      return new LazyList(page, (service) => serviceRecord(service, { graph: world.graph, slicesOf }));
    },
  }),
];
