import { LazyList } from '../http/index.ts';
import { type Endpoint, list, single } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { askRefusedNames } from './ask-refused-names.ts';
import { backendRecord, listBackends } from './backend-record.ts';
import { indexSlices } from './endpoint-records.ts';
import { getBackend } from './get-backend.ts';
import { backendList } from './list.ts';

/** `/v1/backends` and one of them. */
export const backendEndpoints = (sources: AdminSources): readonly Endpoint[] => {
  const { graph } = sources;
  return [
    list('/v1/backends', backendList, {
      entries: () => listBackends(graph),
      present: async (page) => {
        const refusedNames = await askRefusedNames(page, sources);
        const slicesOf = indexSlices(graph);
        return new LazyList(page, (backend) => backendRecord(backend, { graph, slicesOf, refusedNames }));
      },
    }),
    single('/v1/backends/:namespace/:name', async (params) => {
      const backend = getBackend(params, sources);
      const refusedNames = await askRefusedNames([backend], sources);
      return backendRecord(backend, { graph, slicesOf: indexSlices(graph), refusedNames });
    }),
  ];
};
