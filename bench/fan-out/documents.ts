import { stringify } from 'yaml';

const gatewayApi = 'gateway.networking.k8s.io/v1';
const service = { name: 'all', namespace: 'default' };

/** So many Gateways `gw-0`…, with so many HTTPRoutes spread over them, all to one Service; as YAML. */
export function gatewayDocuments(gateways: number, routes: number): string {
  const listeners = (port: number) => [{ name: 'http', port, protocol: 'HTTP' }];
  return yaml([
    {
      apiVersion: gatewayApi,
      kind: 'GatewayClass',
      metadata: { name: 'bench' },
      spec: { controllerName: 'gatewright.dev/gateway-controller' },
    },
    { apiVersion: 'v1', kind: 'Service', metadata: service, spec: { ports: [{ port: 80 }] } },
    ...Array.from({ length: gateways }, (_, at) => ({
      apiVersion: gatewayApi,
      kind: 'Gateway',
      metadata: { name: `gw-${at}`, namespace: 'default' },
      spec: { gatewayClassName: 'bench', listeners: listeners(10_000 + at) },
    })),
    ...Array.from({ length: routes }, (_, at) => ({
      apiVersion: gatewayApi,
      kind: 'HTTPRoute',
      metadata: { name: `route-${at}`, namespace: 'default' },
      spec: {
        parentRefs: [{ name: `gw-${at % gateways}` }],
        hostnames: [`host-${at}.example.com`],
        rules: [{ backendRefs: [{ name: service.name, port: 80 }] }],
      },
    })),
  ]);
}

/** The Service's endpoints after so many changes; no two that follow each other are the same. */
export function endpoints(change: number): string {
  const metadata = { ...service, labels: { 'kubernetes.io/service-name': service.name } };
  const addresses = Array.from({ length: 10 }, (_, at) => `198.51.100.${((change + at) % 250) + 1}`);
  return yaml([
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata,
      addressType: 'IPv4',
      ports: [{ port: 8080 }],
      endpoints: addresses.map((address) => ({ addresses: [address] })),
    },
  ]);
}

const yaml = (documents: readonly object[]): string => documents.map((one) => `---\n${stringify(one)}`).join('');
