import type { KubeConfig } from '@kubernetes/client-node';
import { KubeClient } from '../../kube/index.ts';
import { readWorldCluster, type WorldCluster } from './read-cluster.ts';

/** The world of the cluster of a kubeconfig, as `readWorldCluster` reads it. */
export const readClusterOf = (
  config: KubeConfig,
  options: Parameters<typeof readWorldCluster>[1],
): Promise<WorldCluster> => readWorldCluster(new KubeClient(config), options);
