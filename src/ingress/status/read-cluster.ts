import type { KubeConfig } from '@kubernetes/client-node';
import type { KubernetesObject, ObjectByKind } from '../../gateway-api/index.ts';
import { KubeClient, KubeError, type ResourceType } from '../../kube/index.ts';
import type { NewWorld } from './migration-status.ts';

const routes: ResourceType = { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'httproutes' };
const certificates: ResourceType = { group: 'cert-manager.io', version: 'v1', plural: 'certificates' };

/** The routes of a cluster, and its Certificates if it has cert-manager. What the user may not list is named. */
export async function readNewWorld(config: KubeConfig): Promise<NewWorld> {
  const client = new KubeClient(config);
  const unread: string[] = [];
  const list = async <T extends object>(type: ResourceType, name: string): Promise<T[] | undefined> => {
    try {
      return await client.list<T>(type);
    } catch (error) {
      if (!(error instanceof KubeError) || (error.code !== 'forbidden' && error.code !== 'not-found')) throw error;
      // A cluster without cert-manager has no Certificates.
      if (error.code === 'not-found' && type === certificates) return [];
      unread.push(
        error.code === 'not-found'
          ? `the cluster has no ${name}: install the Gateway API`
          : `may not list ${name}: ${error.message}`,
      );
      return undefined;
    }
  };
  return {
    isCluster: true,
    routes: (await list<ObjectByKind['HTTPRoute']>(routes, 'HTTPRoutes')) ?? [],
    certificates: await list<KubernetesObject>(certificates, 'Certificates'),
    unread,
  };
}
