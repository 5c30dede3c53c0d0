import { type ObjectByKind, objectKey, pickerModeAnnotation } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import { backendKey, type ConditionFault, transportOf } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';

export type PoolObject = ObjectByKind['InferencePool'];

/** Its first port stands for all in names. */
const portOf = ({ spec }: PoolObject): number => spec.targetPorts[0]?.number ?? 0;

/** Of the ir.Backend that leads to the listener where the picker is asked. */
export const keyOfPool = (pool: PoolObject): string =>
  backendKey(pool.metadata.namespace ?? '', pool.metadata.name, portOf(pool), { source: 'pool' });

/** Of the ir.Backend with the model servers. */
export const keyOfServers = (pool: PoolObject): string =>
  backendKey(pool.metadata.namespace ?? '', pool.metadata.name, portOf(pool), { source: 'servers' });

/** How model servers are spoken to, on every port. */
export const protocolOf = ({ spec }: PoolObject): 'h2c' | 'http1' =>
  spec.appProtocol === 'kubernetes.io/h2c' ? 'h2c' : 'http1';

type PickerRef = NonNullable<PoolObject['spec']['endpointPickerRef']>;

/** The Service of the picker, as `NAMESPACE/NAME`, if it is one. */
export function pickerServiceOf({ metadata, spec }: PoolObject): string | undefined {
  const ref = spec.endpointPickerRef;
  return ref && isService(ref) ? objectKey(metadata.namespace ?? '', ref.name) : undefined;
}

const isService = ({ group = '', kind = 'Service' }: PickerRef): boolean => group === '' && kind === 'Service';

/** Key of the picker's ir.Backend, whether its Service is there or not. */
export function keyOfPicker({ metadata, spec }: PoolObject): string | undefined {
  const ref = spec.endpointPickerRef;
  if (!ref || !isService(ref)) return undefined;
  return backendKey(metadata.namespace ?? '', ref.name, ref.port?.number ?? 0, { picker: true });
}

/** Why the picker of a pool cannot be asked. Source: InferencePoolReasonInvalidExtensionRef. */
export function pickerFault(pool: PoolObject, store: StoredObjects): ConditionFault | undefined {
  const ref = pool.spec.endpointPickerRef;
  if (!ref) return undefined;
  const fault = (message: string) => ({ reason: 'InvalidExtensionRef', message: `endpointPickerRef names ${message}` });
  const key = pickerServiceOf(pool);
  if (key === undefined) return fault(`${ref.name}, which is a ${ref.kind}: only core Services are supported`);
  const service = store.find('Service', key);
  if (!service) return fault(`Service ${key}, which does not exist: create it, or name another`);
  if (service.spec.type === 'ExternalName') return fault(`Service ${key}, which is of type ExternalName: use another`);
  const ports = (service.spec.ports ?? []).filter((port) => transportOf(port) === 'TCP').map(({ port }) => port);
  const port = ref.port?.number;
  if (port !== undefined && ports.includes(port)) return undefined;
  return fault(`port ${port ?? 'none'} of Service ${key}: it has ${ports.join(', ') || 'none'}`);
}

/** How modes are written. */
const modes: ReadonlyMap<string, ir.PickerMode> = new Map([
  ['FullDuplex', 'fullDuplex'],
  ['FullDuplexRequest', 'fullDuplexRequest'],
  ['Buffered', 'buffered'],
  ['Auto', 'auto'],
]);

/** How the picker is asked: as the pool says it, else as the operator does. */
export const modeOf = ({ metadata }: PoolObject, { hosts }: StoredObjects): ir.PickerMode =>
  modes.get(metadata.annotations?.[pickerModeAnnotation] ?? '') ?? modes.get(hosts.endpointPickerMode) ?? 'fullDuplex';

/** A mode that is none. */
export function modeRemark({ metadata }: PoolObject): string | undefined {
  const written = metadata.annotations?.[pickerModeAnnotation];
  if (written === undefined || modes.has(written)) return undefined;
  return `annotation ${pickerModeAnnotation} is ${written} and does nothing: it takes ${[...modes.keys()].join(', ')}`;
}
