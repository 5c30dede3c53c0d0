import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import type { Typed } from '../support/apply-all.ts';

export const namespace = 'default';
export const gateway = 'edge';
/** Where each part of the traffic goes. */
export const hosts = { steady: 'steady.test', guarded: 'guarded.test', sticky: 'sticky.test', models: 'models.test' };

const gatewayApi = 'gateway.networking.k8s.io/v1';
const ours = 'gatewright.dev/v1alpha1';
const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];

export interface Ports {
  readonly gateway: number;
  readonly backend: number;
  readonly backendAddress: string;
  readonly provider: number;
}

/** What is there at all times: who may do what, the Gateway, its backends, and a route for each part of the traffic. */
export const baseYaml = (ports: Ports): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${gateway}, namespace: ${namespace}}
spec: {gatewayClassName: gatewright, listeners: [{name: http, port: ${ports.gateway}, protocol: HTTP}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ${namespace}}
spec: {ports: [{port: 80, targetPort: ${ports.backend}}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: ${namespace}, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{port: ${ports.backend}}]
endpoints: [{addresses: [${ports.backendAddress}]}]
---
apiVersion: v1
kind: Service
metadata: {name: wide, namespace: ${namespace}}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Secret
metadata: {name: keys, namespace: ${namespace}, labels: {gatewright.dev/credentials: "true"}}
stringData: {client: a-key-that-no-request-of-the-bench-has}
---
apiVersion: v1
kind: Secret
metadata: {name: provider, namespace: ${namespace}}
stringData: {apiKey: a-key-of-the-fake-provider}
---
apiVersion: gatewright.dev/v1alpha1
kind: AIService
metadata: {name: provider, namespace: ${namespace}}
spec:
  provider: openai
  endpoint: {hostname: 127.0.0.1, port: ${ports.provider}, tls: {mode: None}}
  models: [{name: gpt-4o}]
  auth: {secretRef: {name: provider}}
---
apiVersion: gatewright.dev/v1alpha1
kind: AccessPolicy
metadata: {name: guarded, namespace: ${namespace}}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: guarded}]
  apiKeys: {secretRefs: [{name: keys}], from: [{header: x-api-key}]}
---
apiVersion: gatewright.dev/v1alpha1
kind: TokenPolicy
metadata: {name: models, namespace: ${namespace}}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: models}]
  key: {type: Header, header: x-team}
  budgets: [{unit: Tokens, limit: "1000000000", per: Day}]
`;

export const fixedRoutes: readonly Typed[] = [
  route('steady', hosts.steady),
  route('guarded', hosts.guarded),
  route('wide', 'wide.test', [{ backendRefs: [{ name: 'wide', port: 80 }] }]),
  route('sticky', hosts.sticky, [{ ...toWeb[0], sessionPersistence: { type: 'Cookie', cookie: { name: 'soak' } } }]),
  route('models', hosts.models, [{ backendRefs: [{ group: 'gatewright.dev', kind: 'AIService', name: 'provider' }] }]),
];

export function route(name: string, host: string, rules: readonly object[] = toWeb): Typed {
  const spec = { parentRefs: [{ name: gateway }], hostnames: [host], rules };
  return [kinds.HTTPRoute, { apiVersion: gatewayApi, kind: 'HTTPRoute', metadata: { name, namespace }, spec }];
}

/** Lets clients of one network reach a route of the load, another one each time. */
export const accessPolicy = (name: string, target: string, at: number): Typed =>
  policyOf('AccessPolicy', name, target, { clientIPs: { allow: [`10.${(at >> 8) & 255}.${at & 255}.0/24`] } });

export const rateLimitPolicy = (name: string, target: string, at: number): Typed =>
  policyOf('RateLimitPolicy', name, target, {
    buckets: [{ name: 'all', limits: [{ requests: 1 + (at % 1000), per: '1h' }] }],
  });

function policyOf(kind: 'AccessPolicy' | 'RateLimitPolicy', name: string, target: string, more: object): Typed {
  const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: target }];
  return [kinds[kind], { apiVersion: ours, kind, metadata: { name, namespace }, spec: { targetRefs, ...more } }];
}

/** Of the Service `wide`; nothing answers there. */
export function endpoints(count: number): Typed {
  const object = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'wide-1', namespace, labels: { 'kubernetes.io/service-name': 'wide' } },
    addressType: 'IPv4',
    ports: [{ port: 1 }],
    endpoints: Array.from({ length: count }, (_, at) => ({ addresses: [`198.51.100.${at + 10}`] })),
  };
  return [kinds.EndpointSlice, object as KubernetesObject];
}
