import type * as ir from '../../ir/index.ts';
import { innerCluster } from '../inner/index.ts';
import { clusterName, type EnvoyResource, namedListenerName } from '../resource/index.ts';
import { namedCluster } from './named-cluster.ts';
import { namedListener } from './named-listener.ts';

/**
 * What a backend comes to whose servers are named by requests. Its cluster leads to a listener within the proxy, which takes the hosts that may be named, and whose
 * cluster resolves them: so listeners of clients and routes stay as they are, and a request is judged after all that changes its Host.
 */
export function namedServerResources(backend: ir.Backend): EnvoyResource[] {
  const { key, named } = backend;
  if (!named) return [];
  const front = innerCluster(clusterName(key), [namedListenerName(key, named)]);
  return [{ ...front, continues: true }, namedListener(backend, named), namedCluster(backend)];
}
