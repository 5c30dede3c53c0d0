import { formatAddress } from '../../config/index.ts';

/** One endpoint as Envoy sees it. */
export interface EnvoyHost {
  /** `HOST:PORT`, or the path of a socket. */
  readonly address: string;
  /** Envoy sends it new requests. */
  readonly healthy: boolean;
  /** Why it does not. */
  readonly failure: 'active_check' | 'outlier' | 'eds' | null;
  readonly weight: number;
  readonly zone: string;
}

export interface EnvoyCluster {
  readonly name: string;
  readonly hosts: readonly EnvoyHost[];
}

interface RawHost {
  readonly address?: {
    readonly socket_address?: { readonly address: string; readonly port_value: number };
    readonly pipe?: { readonly path: string };
  };
  readonly health_status?: {
    readonly eds_health_status?: string;
    readonly failed_active_health_check?: boolean;
    readonly pending_active_hc?: boolean;
    readonly failed_outlier_check?: boolean;
  };
  readonly weight?: number;
  readonly locality?: { readonly zone?: string };
}

interface RawCluster {
  readonly name: string;
  readonly added_via_api?: boolean;
  readonly host_statuses?: readonly RawHost[];
}

/** An item of what `/clusters?format=json` answers; undefined for a cluster of the bootstrap. */
export function readCluster(item: unknown): EnvoyCluster | undefined {
  const { name, added_via_api, host_statuses = [] } = item as RawCluster;
  return added_via_api === true ? { name, hosts: host_statuses.map(hostOf) } : undefined;
}

function hostOf({ address, health_status = {}, weight = 1, locality }: RawHost): EnvoyHost {
  const socket = address?.socket_address;
  const failure = failureOf(health_status);
  return {
    address: socket ? formatAddress({ host: socket.address, port: socket.port_value }) : (address?.pipe?.path ?? ''),
    healthy: failure === null,
    failure,
    weight,
    zone: locality?.zone ?? '',
  };
}

const servingByEds = new Set(['HEALTHY', 'UNKNOWN', 'DEGRADED']);

// Source: envoy.admin.v3.HostHealthStatus.
function failureOf(status: NonNullable<RawHost['health_status']>): EnvoyHost['failure'] {
  if (status.failed_active_health_check || status.pending_active_hc) return 'active_check';
  if (status.failed_outlier_check) return 'outlier';
  return servingByEds.has(status.eds_health_status ?? 'UNKNOWN') ? null : 'eds';
}
