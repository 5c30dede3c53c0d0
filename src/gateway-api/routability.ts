/** From where an address can be reached. Source: GEP-5093, GatewayAddressRoutabilityType of Gateway API 1.7. */
export const clusterRoutability = 'Cluster';

/** Our own scopes: a load balancer of the private network, and one that the internet reaches. */
export const privateRoutability = 'gatewright.dev/Private';
export const publicRoutability = 'gatewright.dev/Public';

export const routabilities: readonly string[] = [clusterRoutability, privateRoutability, publicRoutability];

/** As a DataPlane names them, and as addresses do. */
export const routabilityOf = {
  Cluster: clusterRoutability,
  Private: privateRoutability,
  Public: publicRoutability,
} as const;
