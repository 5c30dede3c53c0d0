import { kinds, parseObjectKey } from '../gateway-api/index.ts';
import { type KubeClient, KubeError, prune } from '../kube/index.ts';
import type { StatusApi, WriteOutcome } from './status-api.ts';

/** The StatusApi of a cluster. */
export function kubeStatusApi(client: Pick<KubeClient, 'find' | 'patchStatus'>): StatusApi {
  return {
    read: (kind, key, signal) => client.find(kinds[kind], parseObjectKey(key), { signal }),
    async patchStatus(kind, key, status, resourceVersion, signal): Promise<WriteOutcome> {
      try {
        const object = await client.patchStatus(
          kinds[kind],
          parseObjectKey(key),
          { status, resourceVersion },
          { signal },
        );
        // The writer keeps it until the watch has reported the same, which thousands may wait for.
        return { result: 'written', object: prune(kinds[kind], object) };
      } catch (error) {
        return outcomeOf(error);
      }
    },
  };
}

function outcomeOf(error: unknown): WriteOutcome {
  if (!(error instanceof KubeError)) throw error;
  if (error.code === 'conflict') return { result: 'conflict' };
  if (error.code === 'not-found') return { result: 'gone' };
  if (error.code === 'invalid') return { result: 'invalid', message: error.message };
  throw error;
}
