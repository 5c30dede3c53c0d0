import { isIP } from 'node:net';
import type { Lookup } from '../../graph/engine/index.ts';
import type * as ir from '../../ir/index.ts';

/** The cluster IP of a backend's Service; undefined: it has none, as headless ones. */
export function serviceAddress(
  { kind, namespace, service, port }: Pick<ir.Backend, 'kind' | 'namespace' | 'service' | 'port'>,
  { store }: Lookup,
): ir.Endpoint | undefined {
  const spec = kind === undefined ? store.find('Service', `${namespace}/${service}`)?.spec : undefined;
  const address = spec?.clusterIP;
  return address !== undefined && isIP(address) !== 0 ? { address, port, health: 'ready' } : undefined;
}
