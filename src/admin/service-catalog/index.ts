import { indexSlices } from '../backends/endpoint-records.ts';
import { LazyList } from '../http/index.ts';
import { listNamespaces } from '../namespaces/list-namespaces.ts';
import { type Endpoint, list } from '../resource/endpoint.ts';
import { listResourceKinds, resourceKindRecord } from '../resource-kinds/resource-kind-record.ts';
import type { AdminSources } from '../sources.ts';
import { namespaceList, resourceKindList, serviceList } from './list.ts';
import { serviceRecord } from './service-record.ts';

/** What there is to choose from: namespaces, kinds and Services. */
export const catalogEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  list('/v1/namespaces', namespaceList, {
    entries: () => listNamespaces(sources.graph),
    present: (page) => page,
  }),
  list('/v1/resource-kinds', resourceKindList, {
    entries: listResourceKinds,
    present: (page) => page.map((kind) => resourceKindRecord(kind, sources)),
  }),
  list('/v1/service-catalog', serviceList, {
    entries: () => sources.graph.list('Service'),
    present: (page) => {
      const slicesOf = indexSlices(sources.graph);
      return new LazyList(page, (service) => serviceRecord(service, { graph: sources.graph, slicesOf }));
    },
  }),
];
