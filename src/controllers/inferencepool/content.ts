import { activePortsAnnotation, type ObjectByKind, type Pod } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import type { BackendContent, BackendKeyParts } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { hasLabels, podEndpoints } from '../endpoints/index.ts';
import { keyOfPicker, keyOfPool, keyOfServers, type PoolObject, protocolOf } from '../pools/index.ts';
import { modeOf, pickerFault } from './pool.ts';

/** What a key of a pool's backends stands for now; undefined when the pool is gone, or has another first port. */
export function contentOfPool(key: string, parts: BackendKeyParts, store: StoredObjects): BackendContent | undefined {
  const { namespace, service, port, source } = parts;
  const pool = store.find('InferencePool', `${namespace}/${service}`);
  if (!pool || key !== (source === 'pool' ? keyOfPool(pool) : keyOfServers(pool))) return undefined;
  const common = { key, kind: 'InferencePool', namespace, service, port, protocol: protocolOf(pool) } as const;
  if (source === 'pool')
    return { backend: { ...common, pool: frontOf(pool, store) }, endpoints: { backend: key, endpoints: [] } };
  const loadBalancer = { kind: pool.spec.endpointPickerRef ? 'picked' : 'leastRequest' } as const;
  return {
    backend: { ...common, tuning: { loadBalancer } },
    endpoints: { backend: key, endpoints: serversOf(pool, store) },
  };
}

function frontOf(pool: PoolObject, store: StoredObjects): ir.Pool {
  const servers = keyOfServers(pool);
  const backend = keyOfPicker(pool);
  const ref = pool.spec.endpointPickerRef;
  if (!ref || backend === undefined || pickerFault(pool, store)) return { servers };
  return {
    servers,
    picker: {
      backend,
      authority: `${ref.name}.${pool.metadata.namespace}.svc`,
      mode: modeOf(pool, store),
      failOpen: ref.failureMode === 'FailOpen',
    },
  };
}

/** Whether a pool selects a Pod of its namespace. */
export const selectsPod = ({ spec }: PoolObject, pod: ObjectByKind['Pod']): boolean =>
  hasLabels(pod, spec.selector.matchLabels ?? {});

/** Each port of each Pod is an endpoint: the picker names one of them. */
function serversOf({ metadata, spec }: PoolObject, store: StoredObjects): ir.Endpoint[] {
  const ports = spec.targetPorts.map(({ number }) => number);
  const { matchLabels: labels = {} } = spec.selector;
  return podEndpoints(
    { namespace: metadata.namespace ?? '', labels, portsOf: (pod) => activePorts(pod, ports) },
    store,
  );
}

/** A Pod may say that only some of its ports serve. */
function activePorts({ metadata }: Pod, ports: readonly number[]): readonly number[] {
  const written = metadata.annotations?.[activePortsAnnotation];
  if (written === undefined) return ports;
  const active = new Set(written.split(',').map(Number));
  return ports.filter((port) => active.has(port));
}
