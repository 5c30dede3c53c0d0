import { LazyList } from '../http/index.ts';
import { type Endpoint, list, single } from '../resource/endpoint.ts';
import type { World } from '../world.ts';
import { askRefusedNames } from './ask-refused-names.ts';
import { backendRecord, listBackends } from './backend-record.ts';
import { indexSlices } from './endpoint-records.ts';
import { getBackend } from './get-backend.ts';
import { backendList } from './list.ts';

/** `/v1/backends` and one of them. */
export const backendEndpoints = (world: World): readonly Endpoint[] => {
  const { graph } = world;
  return [
    list('/v1/backends', backendList, {
      entries: () => listBackends(graph),
      present: async (page) => {
        const refusedNames = await askRefusedNames(page, world);
        const slicesOf = indexSlices(graph);
        return new LazyList(page, (backend) => backendRecord(backend, { graph, slicesOf, refusedNames }));
      },
    }),
    single('/v1/backends/:namespace/:name', async (params) => {
      const backend = getBackend(params, world);
      const refusedNames = await askRefusedNames([backend], world);
      return backendRecord(backend, { graph, slicesOf: indexSlices(graph), refusedNames });
    }),
  ];
};
