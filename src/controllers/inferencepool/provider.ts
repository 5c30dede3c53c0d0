import type { BackendProvider, StoredObjects } from '../../graph/engine/index.ts';
import type { BackendUser, ResolvedBackend } from '../../graph/model/index.ts';
import { contentOfPool } from './content.ts';
import { keyOfPicker, keyOfPool, keyOfServers, protocolOf } from './pool.ts';

/** An InferencePool: its picker is asked for each request, and its model servers are Pods. */
export const poolProvider: BackendProvider<'InferencePool'> = {
  resolve: resolvePool,
  keysOf: (pool) => [keyOfPool(pool), keyOfServers(pool)],
  contentOf: (key, parts, { store }) => contentOfPool(key, parts, store),
  reportsUse: true,
};

/** A port of the reference means nothing. Without a picker none is asked, and requests go to the model servers themselves. */
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
  const servers = keyOfServers(pool);
  if (!pool.spec.endpointPickerRef) return { key: servers };
  const picker = keyOfPicker(pool);
  return { key: keyOfPool(pool), uses: picker === undefined ? [servers] : [servers, picker] };
}
