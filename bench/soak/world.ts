import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { closeServer, portOf, startEchoServer } from '../../scripts/example/echo-server.ts';
import { startFakeProvider } from '../../scripts/example/fake-provider.ts';
import { freePort } from '../../scripts/free-port.ts';
import { KubeApiServer } from '../../test/support/kube-apiserver.ts';
import { until } from '../../test/support/until.ts';
import { backendAddress } from '../host/own-network.ts';
import { Program } from '../host/program.ts';
import { applyAll } from '../support/apply-all.ts';
import { type Door, statusOf } from '../support/ask.ts';
import { endChild } from '../support/children.ts';
import type { ProcessFigures } from '../support/processes.ts';
import { baseYaml, endpoints, fixedRoutes, gateway, namespace, route } from './objects.ts';

/** The whole program with its API server, and `routes` routes of the load. */
export interface World {
  readonly api: KubeApiServer;
  readonly door: Door;
  /** URLs. */
  readonly admin: string;
  readonly metrics: string;
  /** Where the control plane keeps its SQLite file. */
  readonly state: string;
  processes(): Promise<Readonly<Record<'controlPlane' | 'agent' | 'envoy', ProcessFigures>>>;
  stop(): Promise<void>;
}

const patientMs = 600_000;

/** `folder` keeps the state of control plane and agent from one piece to the next. */
export async function openWorld(folder: string, routes: number): Promise<World> {
  const [state, cache] = [join(folder, 'state'), join(folder, 'cache')];
  await Promise.all([state, cache].map((one) => mkdir(one, { recursive: true })));
  const args = [`--advertise-address=${backendAddress}`];
  const api = await KubeApiServer.start({ crds: 'experimental', args });
  await api.installOwnCrds();
  const backend = await startEchoServer('web', backendAddress, 0);
  const provider = await startFakeProvider('openai');
  const [port = 0, ...own] = await Promise.all(Array.from({ length: 6 }, freePort));
  const [xds, admin, layout2, metrics, agent] = own.map((one) => `127.0.0.1:${one}`);
  const config = {
    source: { kubernetes: { kubeconfig: api.kubeconfig } },
    xds: { listen: xds, insecure: true },
    admin: { listen: admin, layout2Listen: layout2 },
    metrics: { listen: metrics },
    adminAuth: { requestsPerSecond: 0 },
    infrastructure: { image: 'never-runs', serviceType: 'ClusterIP' },
    leaderElection: { namespace },
    state: { directory: state },
    backends: { allowedAddresses: ['127.0.0.1/32'] },
    dataplane: {
      cluster: `${namespace}/${gateway}`,
      xdsAddress: xds,
      adminListen: agent,
      cache: { directory: cache, secrets: true },
      concurrency: 1,
    },
    log: { level: 'warn' },
  };
  await api.apply(baseYaml({ gateway: port, backend: portOf(backend), backendAddress, provider: provider.port }));
  const load = Array.from({ length: routes }, (_, at) => route(`load-${at}`, `load-${at}.test`));
  await applyAll(api.client, [endpoints(10), ...load, ...fixedRoutes]);
  const program = await Program.prepare(join(api.directory, 'program'), config);
  const controlPlane = await program.start('control-plane');
  const dataPlane = await program.start('data-plane');
  const door = { address: '127.0.0.1', port };
  const host = `load-${routes - 1}.test`;
  await until(`${host} to be served`, async () => (await statusOf(door, host, false, 10_000)) === 200, patientMs);
  return {
    api,
    door,
    admin: `http://${admin}`,
    metrics: `http://${metrics}`,
    state,
    async processes() {
      const [own] = await program.figuresOf('control-plane', controlPlane);
      const proxy = await program.figuresOf('data-plane', dataPlane);
      const envoy = proxy.find(({ what }) => what.startsWith('envoy'));
      const agentOf = proxy.find(({ pid }) => pid === dataPlane.pid);
      if (!own || !envoy || !agentOf) throw new Error('a process ended while it was looked at');
      return { controlPlane: own, agent: agentOf, envoy };
    },
    async stop() {
      await Promise.all([endChild(controlPlane), endChild(dataPlane)]);
      await closeServer(backend);
      await provider.close();
      await api.stop();
    },
  };
}
