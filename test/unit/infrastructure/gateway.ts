import type { GatewayProxies, InfrastructureSettings } from '../../../src/infrastructure/index.ts';

/** A Gateway with one HTTP port; `more` replaces parts of it. */
export const gatewayProxies = (more: Partial<GatewayProxies> = {}): GatewayProxies => ({
  namespace: 'shop',
  name: 'edge',
  uid: 'uid-1',
  ports: [{ port: 80, protocol: 'TCP' }],
  labels: {},
  annotations: {},
  addresses: [],
  parameters: {},
  ...more,
});

export const settings: InfrastructureSettings = {
  image: 'gatewright:test',
  xdsAddress: { host: 'gatewright.gatewright-system.svc', port: 18080 },
  serviceType: 'LoadBalancer',
  replicas: 1,
};
