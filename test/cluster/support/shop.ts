import type { ExecutionContext } from 'ava';
import { type Cluster, givenCluster } from './cluster.ts';
import { type Answer, get } from './http.ts';
import { until } from './until.ts';

const echo = 'registry.k8s.io/gateway-api/conformance/echo-basic:v0.1.0';

/** What one would apply: a backend, its Service, a Gateway and a route, in a namespace that enforces `restricted`. */
const manifest = (namespace: string): string => `
apiVersion: v1
kind: Namespace
metadata: {name: ${namespace}, labels: {pod-security.kubernetes.io/enforce: restricted}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: echo, namespace: ${namespace}}
spec:
  selector: {matchLabels: {app: echo}}
  template:
    metadata: {labels: {app: echo}}
    spec:
      securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: echo
        image: ${echo}
        env:
        - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        readinessProbe: {tcpSocket: {port: 3000}, periodSeconds: 1}
        resources: {requests: {cpu: 10m}}
        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
---
apiVersion: v1
kind: Service
metadata: {name: echo, namespace: ${namespace}}
spec: {selector: {app: echo}, ports: [{port: 8080, targetPort: 3000}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: ${namespace}}
spec:
  gatewayClassName: gatewright
  infrastructure: {labels: {team: shop}, annotations: {example.com/cost-centre: "7"}}
  listeners: [{name: http, port: 80, protocol: HTTP}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: echo, namespace: ${namespace}}
spec:
  parentRefs: [{name: edge}]
  hostnames: [shop.example.com]
  rules: [{backendRefs: [{name: echo, port: 8080}]}]
`;

/** A namespace with a Gateway `edge` that forwards shop.example.com to an echo server. */
export class Shop {
  readonly cluster: Cluster;
  readonly namespace: string;

  private constructor(cluster: Cluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  /** Applies everything; it is deleted when the test ends. */
  static async open(t: ExecutionContext, namespace: string): Promise<Shop> {
    const shop = new Shop(givenCluster(), namespace);
    t.teardown(async () => {
      if (!t.passed) await shop.describe(t);
      await shop.cluster.kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
    });
    await shop.cluster.kubectl(['apply', '--server-side', '-f', '-'], manifest(namespace));
    return shop;
  }

  /** kubectl in this namespace. */
  kubectl(...args: string[]): Promise<string> {
    return this.cluster.kubectl(['-n', this.namespace, ...args]);
  }

  async get<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.kubectl('get', '-o', 'json', ...args)) as T;
  }

  /** The Gateway's address as soon as it is programmed. */
  programmed(): Promise<string> {
    return until('the Gateway to be programmed with an address', async () => {
      const { status } = await this.get<GatewayObject>('gateway', 'edge');
      const isProgrammed = status?.conditions?.some(({ type, status }) => type === 'Programmed' && status === 'True');
      return isProgrammed && status?.addresses?.[0]?.value;
    });
  }

  ask(address: string): Promise<Answer> {
    return this.askOn(address, 80);
  }

  askOn(address: string, port: number, host = 'shop.example.com'): Promise<Answer> {
    return get(address, '/', host, port);
  }

  /** Resolves as soon as the echo server answers. */
  serves(address: string): Promise<unknown> {
    return until('an answer of the echo server', async () => (await this.ask(address)).status === 200);
  }

  /** What one would look at first when a test fails. */
  async describe(t: ExecutionContext): Promise<void> {
    const looks = [
      ['get', 'gateway,httproute,deployment,service,pod', '-o', 'wide'],
      ['get', 'gateway', 'edge', '-o', 'yaml'],
      ['describe', 'pods', '-l', 'app.kubernetes.io/managed-by=gatewright'],
      ['logs', '-l', 'app.kubernetes.io/managed-by=gatewright', '--tail', '30'],
    ];
    for (const look of looks) t.log(await this.kubectl(...look).catch(String));
    t.log(
      await this.cluster
        .kubectl(['-n', 'gatewright-system', 'logs', 'deployment/gatewright', '--tail', '50'])
        .catch(String),
    );
  }
}

interface GatewayObject {
  readonly status?: {
    readonly addresses?: readonly { readonly value: string }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}
