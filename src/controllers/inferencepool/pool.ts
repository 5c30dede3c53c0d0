import { pickerModeAnnotation } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import { type ConditionFault, transportOf } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { type PoolObject, pickerServiceOf } from '../pools/index.ts';

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
