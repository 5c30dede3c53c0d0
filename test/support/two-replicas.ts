import { networkInterfaces } from 'node:os';
import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { DataPlaneAgent } from '../../src/agent/index.ts';
import type { ConfigInput } from '../../src/config/index.ts';
import { type Condition, kinds } from '../../src/gateway-api/index.ts';
import { get } from '../cluster/support/http.ts';
import { startAgent } from './agent-world.ts';
import { ControlPlaneProcess, freePorts, type Ports } from './control-plane-process.ts';
import { type CountingBackend, startBackend } from './http.ts';
import type { KubeApiServer } from './kube-apiserver.ts';
import { setProxyPods } from './proxy-pods.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { untilFits } from './until.ts';

/** An address of this machine that an EndpointSlice may hold: loopback is rejected. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const found = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) throw new Error('this machine has no IPv4 address but those of loopback');
  return found.address;
}

export const routeYaml = (name: string, host: string): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: default}
spec: {parentRefs: [{name: edge}], hostnames: [${JSON.stringify(host)}], rules: [{backendRefs: [{name: web, port: 80}]}]}
`;

const worldYaml = (port: number, backendPort: number): string => `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {ports: [{port: 80, targetPort: ${backendPort}}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: default, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{port: ${backendPort}}]
endpoints: [{addresses: [${ownAddress()}]}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: class}
spec: {controllerName: gatewright.dev/gateway-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: default}
spec: {gatewayClassName: class, listeners: [{name: http, port: ${port}, protocol: HTTP}]}
---${routeYaml('web', 'web.test')}`;

/** Two replicas' ports, a Gateway of its own with one data plane, and the way from that to the replicas. */
export interface World {
  readonly port: number;
  readonly backend: CountingBackend;
  /** Where the data plane connects to: leads to one of the replicas. */
  readonly way: TcpProxy;
  readonly ports: readonly [Ports, Ports];
  start(which: 0 | 1): ControlPlaneProcess;
  agent(): Promise<DataPlaneAgent>;
}

export type T = ExecutionContext<{ api: KubeApiServer }>;

/** `config`: what both control planes have beyond their places. */
export async function startWorld(t: T, config: ConfigInput = {}): Promise<World> {
  const { api } = t.context;
  const port = await freePort();
  const backend = await startBackend(t, undefined, ownAddress());
  await api.apply(worldYaml(port, backend.port));
  const ports = [await freePorts(), await freePorts()] as const;
  const way = await TcpProxy.start(ports[0].xds);
  t.teardown(() => way[Symbol.asyncDispose]());
  const replicas = ports.map(({ admin }) => admin);
  return {
    port,
    backend,
    way,
    ports,
    start: (which) => new ControlPlaneProcess(t, { ports: ports[which], kubeconfig: api.kubeconfig, replicas, config }),
    agent: () => startAgent(t as never, `127.0.0.1:${way.port}`, { cluster: 'default/edge' }),
  };
}

/** The cluster's controllers follow the Service, which a leader of these changes. */
export const programmed = ({ context: { api } }: T) =>
  untilFits(
    'the Gateway to be programmed',
    async () => {
      await setProxyPods(api, { namespace: 'default', name: 'gatewright-edge' });
      return await api.client.get(kinds.Gateway, { namespace: 'default', name: 'edge' });
    },
    ({ status, metadata }) =>
      ((status as { conditions?: Condition[] } | undefined)?.conditions ?? []).some(
        ({ type, status: is, observedGeneration }) =>
          type === 'Programmed' && is === 'True' && observedGeneration === metadata.generation,
      ),
  );

/** The data plane hangs on this replica and has applied its newest snapshot. */
export const untilCurrent = (replica: ControlPlaneProcess) =>
  untilFits(
    'the data plane to be current',
    async () => {
      const [nodes, { snapshotVersion, leader }] = await Promise.all([
        replica.json('/v1/nodes'),
        replica.json('/v1/summary'),
      ]);
      const [node] = nodes as { replica: string; ready: boolean; lastAckVersion: string | null }[];
      return { node, snapshotVersion, identity: leader.identity as string };
    },
    ({ node, snapshotVersion, identity }) =>
      node?.replica === identity && node.ready && node.lastAckVersion === snapshotVersion,
  );

export const untilServed = ({ port }: World, host = 'web.test') =>
  untilFits(
    `${host} to be served`,
    async () => (await get('127.0.0.1', '/', host, port)).status,
    (status) => status === 200,
  );
