import type { GatewayProxies, InfrastructureSettings } from '../../../src/infrastructure/index.ts';
import { placed } from '../../../src/infrastructure/place.ts';
import type { PlacedProxies } from '../../../src/infrastructure/placed-proxies.ts';

/** A Gateway with one HTTP port, in its own namespace or in one for all; `more` replaces parts of it. */
export const gatewayProxies = (more: Partial<GatewayProxies> = {}, commonNamespace?: string): PlacedProxies =>
  placed(
    {
      namespace: 'shop',
      name: 'edge',
      uid: 'uid-1',
      ports: [{ port: 80, protocol: 'TCP' }],
      labels: {},
      annotations: {},
      addresses: [],
      parameters: {},
      ...more,
    },
    { ...settings, namespace: commonNamespace },
  );

export const settings: InfrastructureSettings = {
  controllerName: 'gatewright.dev/gateway-controller',
  image: 'gatewright:test',
  xdsAddress: { host: 'gatewright.gatewright-system.svc', port: 18080 },
  serviceType: 'LoadBalancer',
  replicas: 1,
};
