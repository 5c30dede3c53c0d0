import { kinds } from '../gateway-api/index.ts';
import type { KubeClient } from '../kube/index.ts';
import { KubeError } from '../kube/index.ts';
import type { KeysKeeper } from './keeper.ts';

const timeoutMs = 10_000;

/** ConfigMaps of a cluster, which all replicas watch. `client`: one that writes while this replica leads. */
export const clusterKeeper = (client: Pick<KubeClient, 'apply' | 'delete'>, namespace: string): KeysKeeper => ({
  async save(object) {
    await client.apply(kinds.ConfigMap, object, { timeoutMs });
  },
  async remove(name) {
    try {
      await client.delete(kinds.ConfigMap, { namespace, name }, { timeoutMs });
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 'not-found')) throw error;
    }
  },
});
