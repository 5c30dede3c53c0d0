import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { bundle } from '../../scripts/bundle.ts';
import { freePort } from '../../scripts/free-port.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { KubeApiServer } from '../../test/support/kube-apiserver.ts';
import { until } from '../../test/support/until.ts';
import { RouteProbe } from '../support/route-probe.ts';
import { backendAddress } from './own-network.ts';

const namespace = 'default';
const backend = { name: 'stub', port: 80 };

/**
 * A real API server with etcd, control plane and data plane as processes of this machine, one stub backend; no kubelet and no
 * controllers, so that what is measured is ours alone.
 */
export class HostRig implements AsyncDisposable {
  readonly probe: RouteProbe;
  readonly #api: KubeApiServer;
  readonly #gatewayPort: number;
  readonly #closeBackend: () => void;
  #running: Running | undefined;

  private constructor(parts: { api: KubeApiServer; gatewayPort: number; closeBackend: () => void }) {
    this.#api = parts.api;
    this.#gatewayPort = parts.gatewayPort;
    this.#closeBackend = parts.closeBackend;
    this.probe = new RouteProbe({
      kube: parts.api.client,
      namespace,
      gateway: 'bench',
      address: '127.0.0.1',
      port: parts.gatewayPort,
      backend,
    });
  }

  /** With the objects that every run has; nothing of ours runs yet. */
  static async open(): Promise<HostRig> {
    const api = await KubeApiServer.start({ crds: 'standard', args: [`--advertise-address=${backendAddress}`] });
    const stub = createServer((_request, response) => response.end('ok')).listen(0, backendAddress);
    await once(stub, 'listening');
    const gatewayPort = await freePort();
    await bundle(join(api.directory, 'app'));
    for (const [type, object] of world(gatewayPort, (stub.address() as AddressInfo).port))
      await api.client.apply(type, object);
    const closeBackend = () => {
      stub.closeAllConnections();
      stub.close();
    };
    return new HostRig({ api, gatewayPort, closeBackend });
  }

  /** Starts control plane and data plane from nothing. Their process ids. */
  async start(): Promise<{ readonly controlPlane: number; readonly dataPlane: number }> {
    const [xds, admin, layout2, metrics, agent] = (await Promise.all(Array.from({ length: 5 }, freePort))).map(
      (port) => `127.0.0.1:${port}`,
    );
    const config = {
      source: { kubernetes: { kubeconfig: this.#api.kubeconfig } },
      xds: { listen: xds, insecure: true },
      admin: { listen: admin, layout2Listen: layout2 },
      metrics: { listen: metrics },
      infrastructure: { image: 'nobody-runs-it', serviceType: 'ClusterIP' },
      dataplane: { cluster: `${namespace}/bench`, xdsAddress: xds, adminListen: agent },
      log: { level: 'warn' },
    };
    await mkdir(join(this.#api.directory, 'run'), { recursive: true });
    const file = join(this.#api.directory, 'run/config.json');
    await writeFile(file, JSON.stringify(config));
    const run = (role: string) =>
      spawn(process.execPath, [join(this.#api.directory, 'app/bin/gatewright.js'), role, '--config', file], {
        env: { ...process.env, SVC_GW_NODE_ID: 'bench-0' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    const running = { controlPlane: run('control-plane'), dataPlane: run('data-plane'), agentUrl: `http://${agent}` };
    this.#running = running;
    return { controlPlane: running.controlPlane.pid as number, dataPlane: running.dataPlane.pid as number };
  }

  /** Waits until the data plane has applied a snapshot and Envoy has bound every listener. */
  async dataPlaneReady(): Promise<void> {
    const url = `${this.#running?.agentUrl}/readyz`;
    await until(
      'the data plane to be ready',
      async () =>
        (await fetch(url).then(
          ({ ok }) => ok,
          () => false,
        )) || undefined,
      600_000,
    );
  }

  /** Ends what `start` started. */
  async stop(): Promise<void> {
    const { controlPlane, dataPlane } = this.#running ?? {};
    this.#running = undefined;
    await Promise.all([controlPlane, dataPlane].map(end));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.probe.close();
    this.#closeBackend();
    await this.#api.stop();
  }
}

interface Running {
  readonly controlPlane: ChildProcess;
  readonly dataPlane: ChildProcess;
  readonly agentUrl: string;
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

function world(gatewayPort: number, stubPort: number): [(typeof kinds)[keyof typeof kinds], KubernetesObject][] {
  const metadata = { name: backend.name, namespace };
  return [
    [
      kinds.Service,
      { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: backend.port, targetPort: stubPort }] } },
    ],
    [
      kinds.EndpointSlice,
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { ...metadata, labels: { 'kubernetes.io/service-name': backend.name } },
        addressType: 'IPv4',
        ports: [{ port: stubPort }],
        endpoints: [{ addresses: [backendAddress] }],
      } as KubernetesObject,
    ],
    [
      kinds.GatewayClass,
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'GatewayClass',
        metadata: { name: 'bench' },
        spec: { controllerName: 'gatewright.dev/gateway-controller' },
      },
    ],
    [
      kinds.Gateway,
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'Gateway',
        metadata: { name: 'bench', namespace },
        spec: { gatewayClassName: 'bench', listeners: [{ name: 'http', port: gatewayPort, protocol: 'HTTP' }] },
      },
    ],
  ];
}
