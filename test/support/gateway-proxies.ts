import type { GatewayProxies } from '../../src/infrastructure/index.ts';

/** The proxies of a Gateway in the namespace `shop` that has one port. The API server looks for no such Gateway, but garbage collectors do. */
export const gatewayProxies = (name: string, more: Partial<GatewayProxies> = {}): GatewayProxies => ({
  namespace: 'shop',
  name,
  uid: `uid-${name}`,
  ports: [{ port: 80, protocol: 'TCP' }],
  labels: {},
  annotations: {},
  addresses: [],
  parameters: {},
  ...more,
});
