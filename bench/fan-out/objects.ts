import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { namespace } from '../peer/world.ts';
import type { Typed } from '../support/apply-all.ts';

const apiVersion = 'gateway.networking.k8s.io/v1';
const service = { name: 'all', namespace };

/** So many Gateways `gw-0`… of a class, and a Service. */
export const gateways = (count: number, gatewayClassName: string): Typed[] => [
  [kinds.Service, { apiVersion: 'v1', kind: 'Service', metadata: service, spec: { ports: [{ port: 80 }] } }],
  ...Array.from({ length: count }, (_, at): Typed => {
    const listeners = [{ name: 'http', port: 10_000 + at, protocol: 'HTTP' }];
    const metadata = { name: `gw-${at}`, namespace };
    return [kinds.Gateway, { apiVersion, kind: 'Gateway', metadata, spec: { gatewayClassName, listeners } }];
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
    return [kinds.HTTPRoute, { apiVersion, kind: 'HTTPRoute', metadata: { name: `route-${at}`, namespace }, spec }];
  });

/** The address that a change brings. */
export const newAddress = (change: number): string => addressOf(change + 9);

/** No address is the beginning of another one. */
const addressOf = (at: number): string => `198.18.${100 + (Math.floor(at / 100) % 100)}.${100 + (at % 100)}`;

/** The Service's ten endpoints after so many changes: one comes with each, one goes. */
export function endpoints(change: number): Typed {
  const addresses = Array.from({ length: 10 }, (_, at) => addressOf(change + at));
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...service, labels: { 'kubernetes.io/service-name': service.name } },
    addressType: 'IPv4',
    ports: [{ port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  };
  return [kinds.EndpointSlice, slice as KubernetesObject];
}
