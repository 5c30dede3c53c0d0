import { backendName } from './named-backend.ts';

/** The users may do everything. */
export const rightsYaml = (users: readonly string[]): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: replicas}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [${users.map((name) => `{kind: User, name: ${name}, apiGroup: rbac.authorization.k8s.io}`).join(', ')}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}
---${routeYaml('steady', 'steady.test')}`;

/** A route that demands a key, which no request of the bench has. */
export const guardYaml = (): string => `
apiVersion: v1
kind: Secret
metadata: {name: keys, namespace: default, labels: {gatewright.dev/credentials: "true"}}
stringData: {client: a-key-that-no-request-of-the-bench-has}
---
apiVersion: gatewright.dev/v1alpha1
kind: AccessPolicy
metadata: {name: guarded, namespace: default}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: guarded}]
  apiKeys: {secretRefs: [{name: keys}], from: [{header: x-api-key}]}
---${routeYaml('guarded', 'guarded.test')}`;

export const serviceYaml = (port: number, address: string): string => `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {ports: [{port: 80, targetPort: ${port}}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: default, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{port: ${port}}]
endpoints: [{addresses: [${address}]}]
`;

/** A backend that proxies find by its name. */
export const namedYaml = (port: number): string => `
apiVersion: gateway.networking.x-k8s.io/v1alpha1
kind: XBackend
metadata: {name: named, namespace: default}
spec: {type: ExternalHostname, externalHostname: {hostname: ${backendName}}, port: {number: ${port}}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: named, namespace: default}
spec:
  parentRefs: [{name: edge}]
  hostnames: [named.test]
  rules: [{backendRefs: [{group: gateway.networking.x-k8s.io, kind: XBackend, name: named}]}]
`;

export const gatewayYaml = (name: string, port: number): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: default}
spec: {gatewayClassName: gatewright, listeners: [{name: http, port: ${port}, protocol: HTTP}]}
`;

export function routeYaml(name: string, host: string): string {
  return `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: default}
spec: {parentRefs: [{name: edge}, {name: spare}], hostnames: [${host}], rules: [{backendRefs: [{name: web, port: 80}]}]}
`;
}
