import type { BackendProvider, StoredObjects } from '../../graph/engine/index.ts';
import type { BackendUser, ResolvedBackend } from '../../graph/model/index.ts';
import { keyOfPool, keyOfServers, protocolOf, targetOfPool } from '../pools/index.ts';
import { contentOfPool } from './content.ts';

/** An InferencePool: its picker is asked for each request, and its model servers are Pods. */
export const poolProvider: BackendProvider<'InferencePool'> = {
  sources: { pool: 'InferencePool', servers: 'InferencePool' },
  resolve: resolvePool,
  keysOf: (pool) => [keyOfPool(pool), keyOfServers(pool)],
  contentOf: (key, parts, { store }) => contentOfPool(key, parts, store),
  reportsUse: true,
};

/** A port of the reference means nothing. */
function resolvePool(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  user: BackendUser,
  store: StoredObjects,
): ResolvedBackend {
  const where = `InferencePool ${namespace}/${name}`;
  const fault = (reason: string, message: string): ResolvedBackend => ({
    fault: { reason, message: `${where} ${message}` },
  });
  if (user.kind !== 'HTTPRoute' && user.kind !== 'GRPCRoute')
    return fault('InvalidKind', `is for HTTPRoutes and GRPCRoutes: ${user.kind}s have no requests to pick by`);
  if (user.rule === undefined)
    return fault('InvalidKind', 'is for backendRefs alone: it cannot get copies of requests, or authorize them');
  const pool = store.find('InferencePool', `${namespace}/${name}`);
  if (!pool) return fault('BackendNotFound', 'does not exist');
  if (user.variant?.http2 && protocolOf(pool) !== 'h2c')
    return fault('UnsupportedProtocol', 'speaks HTTP/1.1, and gRPC needs HTTP/2: set appProtocol kubernetes.io/h2c');
  return targetOfPool(pool);
}
