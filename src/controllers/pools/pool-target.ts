import { type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { backendKey } from '../../graph/model/index.ts';

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

/** Where requests for a pool go, and the ir.Backends behind that. Without a picker none is asked, and they go to the model servers themselves. */
export function targetOfPool(pool: PoolObject): { readonly key: string; readonly uses: readonly string[] } {
  const servers = keyOfServers(pool);
  if (!pool.spec.endpointPickerRef) return { key: servers, uses: [] };
  const picker = keyOfPicker(pool);
  return { key: keyOfPool(pool), uses: picker === undefined ? [servers] : [servers, picker] };
}
