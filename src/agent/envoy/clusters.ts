import { formatAddress } from '../../config/index.ts';

/**
 * Why an endpoint gets no requests: its last health check failed, was not answered in time, or is still to come; its requests failed;
 * or the control plane said that it is leaving.
 */
export type HostFailure = 'active_check' | 'active_check_timeout' | 'pending_check' | 'outlier' | 'eds';

/** One endpoint as Envoy sees it. */
export interface EnvoyHost {
  /** `HOST:PORT`, or the path of a socket. */
  readonly address: string;
  /** Envoy sends it new requests. */
  readonly healthy: boolean;
  /** Why it does not. */
  readonly failure: HostFailure | null;
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
    readonly active_hc_timeout?: boolean;
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
  // Envoy takes an endpoint for failed until its first check is over.
  if (status.pending_active_hc) return 'pending_check';
  if (status.failed_active_health_check) return status.active_hc_timeout ? 'active_check_timeout' : 'active_check';
  if (status.failed_outlier_check) return 'outlier';
  return servingByEds.has(status.eds_health_status ?? 'UNKNOWN') ? null : 'eds';
}
