import { keyOf } from '../../gateway-api/index.ts';
import { indexSlices } from '../backends/endpoint-records.ts';
import { resource } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { catalogService } from './record.ts';
import { serviceRecord } from './service-record.ts';

/** `/v1/service-catalog`: every Service that could be forwarded to. */
export const serviceCatalog = resource({
  path: '/v1/service-catalog',
  summary: 'All Services',
  record: catalogService,
  list: {
    entries: ({ graph }: AdminSources) => graph.list('Service'),
    filters: {
      namespace: (value) => (service) => service.metadata.namespace === value,
      name: (value) => (service) => service.metadata.name === value,
      type: (value) => (service) => (service.spec.type ?? 'ClusterIP') === value,
    },
    sorts: {
      namespace: (service) => keyOf(service).replace('/', '\u0000'),
      name: (service) => service.metadata.name,
      type: (service) => service.spec.type ?? 'ClusterIP',
    },
  },
  present({ graph }) {
    const slicesOf = indexSlices(graph);
    return (service) => serviceRecord(service, { graph, slicesOf });
  },
});
