import { indexSlices } from '../backends/endpoint-records.ts';
import { LazyList } from '../http/index.ts';
import { listNamespaces } from '../namespaces/list-namespaces.ts';
import { type Endpoint, list } from '../resource/endpoint.ts';
import { listResourceKinds, resourceKindRecord } from '../resource-kinds/resource-kind-record.ts';
import type { World } from '../world.ts';
import { namespaceList, resourceKindList, serviceList } from './list.ts';
import { serviceRecord } from './service-record.ts';

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
