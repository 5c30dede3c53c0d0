import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import type { Typed } from '../support/apply-all.ts';

const apiVersion = 'gateway.networking.k8s.io/v1';
const service = { name: 'all', namespace: 'default' };

/** A class, so many Gateways `gw-0`…, and a Service. */
export const gateways = (count: number): Typed[] => [
  [
    kinds.GatewayClass,
    {
      apiVersion,
      kind: 'GatewayClass',
      metadata: { name: 'bench' },
      spec: { controllerName: 'gatewright.dev/gateway-controller' },
    },
  ],
  [kinds.Service, { apiVersion: 'v1', kind: 'Service', metadata: service, spec: { ports: [{ port: 80 }] } }],
  ...Array.from({ length: count }, (_, at): Typed => {
    const listeners = [{ name: 'http', port: 10_000 + at, protocol: 'HTTP' }];
    const metadata = { name: `gw-${at}`, namespace: 'default' };
    return [kinds.Gateway, { apiVersion, kind: 'Gateway', metadata, spec: { gatewayClassName: 'bench', listeners } }];
  }),
];

/** So many HTTPRoutes spread over the Gateways, all to the Service. */
export const routes = (count: number, over: number): Typed[] =>
  Array.from({ length: count }, (_, at): Typed => {
    const spec = {
      parentRefs: [{ name: `gw-${at % over}` }],
      hostnames: [`host-${at}.example.com`],
      rules: [{ backendRefs: [{ name: service.name, port: 80 }] }],
    };
    return [
      kinds.HTTPRoute,
      { apiVersion, kind: 'HTTPRoute', metadata: { name: `route-${at}`, namespace: 'default' }, spec },
    ];
  });

/** The Service's endpoints after so many changes; no two that follow each other are the same. */
export function endpoints(change: number): Typed {
  const addresses = Array.from({ length: 10 }, (_, at) => `198.51.100.${((change + at) % 250) + 1}`);
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...service, labels: { 'kubernetes.io/service-name': service.name } },
    addressType: 'IPv4',
    ports: [{ port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address] })),
  };
  return [kinds.EndpointSlice, slice as KubernetesObject];
}
