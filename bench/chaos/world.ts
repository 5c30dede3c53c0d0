import { mkdir, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { bundle } from '../../scripts/bundle.ts';
import { closeServer, portOf, startEchoServer } from '../../scripts/example/echo-server.ts';
import { freePort } from '../../scripts/free-port.ts';
import type { Dice } from '../../test/support/fuzz/dice.ts';
import { KubeApiServer } from '../../test/support/kube-apiserver.ts';
import { TcpProxy } from '../../test/support/tcp-proxy.ts';
import { until } from '../../test/support/until.ts';
import { backendAddress } from '../host/own-network.ts';
import { type Door, statusOf } from '../support/ask.ts';
import { OwnClock } from './clock.ts';
import { FaultyApi } from './faulty-api.ts';
import { NamedBackend } from './named-backend.ts';
import { gatewayYaml, guardYaml, namedYaml, rightsYaml, routeYaml, serviceYaml } from './objects.ts';
import { OwnProcess } from './replica.ts';
import { StatusWriters } from './status-writers.ts';

export const users = ['replica-0', 'replica-1'] as const;
const patientMs = 300_000;
/** A range for documentation, which names may not lead to otherwise. */
const backends = { allowedAddresses: [`${backendAddress}/32`] };

/** Two control planes, each with its own way to the API server; a proxy, and one that is restarted, each with its own way to the control planes. */
export interface World {
  readonly api: KubeApiServer;
  readonly writers: StatusWriters;
  readonly ways: readonly FaultyApi[];
  readonly replicas: readonly OwnProcess[];
  /** Of each control plane. */
  readonly clocks: readonly OwnClock[];
  /** From each control plane to the other one. */
  readonly between: readonly TcpProxy[];
  readonly named: NamedBackend;
  /** Always there. */
  readonly proxy: Place;
  /** Killed and started again, with a cache. */
  readonly spare: Place;
  readonly xdsPorts: readonly number[];
  /** Nothing listens there. */
  readonly closedPort: number;
  /** A folder of memory for what is kept on disk. */
  readonly disk: string;
  /** How long it takes until a route that is made now answers, and all replicas have the same snapshot. */
  converged(): Promise<Converged>;
  summary(replica: 0 | 1): Promise<Summary | undefined>;
  stop(): Promise<void>;
}

export interface Converged {
  readonly answersMs: number;
  readonly convergedMs: number;
}

export interface Place {
  readonly process: OwnProcess;
  readonly door: Door;
  /** To the xDS port of a control plane. */
  readonly way: TcpProxy;
  readonly cache: string;
}

export interface Summary {
  readonly snapshotVersion: string | null;
  readonly leader: { readonly isLeader: boolean };
}

/** Has to run in a network of its own, with a folder of memory (bench/host/own-network.ts). */
export async function openWorld(dice: Dice, disk: string): Promise<World> {
  const writers = await StatusWriters.prepare(disk);
  const args = [`--advertise-address=${backendAddress}`, ...writers.apiServerArgs];
  const api = await KubeApiServer.start({ crds: 'experimental', args, users });
  await api.installOwnCrds();
  const folder = join(api.directory, 'program');
  await bundle(join(folder, 'app'));
  const backend = (await startEchoServer('web', backendAddress, 0)) as Server;
  const named = await NamedBackend.start(backendAddress, portOf(backend));
  const ports = await Promise.all(Array.from({ length: 13 }, () => freePort()));
  const at = (index: number) => `127.0.0.1:${ports[index]}`;
  const [door, spareDoor] = [ports[8] ?? 0, ports[9] ?? 0];
  for (const yaml of [
    rightsYaml(users),
    guardYaml(),
    serviceYaml(portOf(backend), backendAddress),
    gatewayYaml('edge', door),
    gatewayYaml('spare', spareDoor),
    namedYaml(portOf(backend)),
  ])
    await api.apply(yaml);
  const ways = [await FaultyApi.start(api, dice), await FaultyApi.start(api, dice)];
  const between = [await TcpProxy.start(ports[5] ?? 0), await TcpProxy.start(ports[1] ?? 0)];
  const clocks = await Promise.all(users.map((name) => OwnClock.prepare(disk, name)));
  const replicas: OwnProcess[] = [];
  for (const [index, name] of users.entries()) {
    const kubeconfig = join(folder, `${name}.kubeconfig`);
    await writeFile(kubeconfig, api.kubeConfigOf(name, ways[index]?.url).exportConfig(), { mode: 0o600 });
    const [xds, admin, layout2, metrics] = [0, 1, 2, 3].map((port) => at(index * 4 + port));
    const config = {
      source: { kubernetes: { kubeconfig } },
      xds: { listen: xds, insecure: true },
      admin: { listen: admin, layout2Listen: layout2 },
      metrics: { listen: metrics },
      infrastructure: { image: 'never-runs', serviceType: 'ClusterIP' },
      leaderElection: { namespace: 'default', leaseDuration: '12s', renewDeadline: '8s', retryPeriod: '1s' },
      replicas: { peers: [at(index * 4 + 1), `127.0.0.1:${between[index]?.port}`] },
      adminAuth: { requestsPerSecond: 0 },
      backends,
      log: { level: 'warn' },
    };
    replicas.push(
      await OwnProcess.prepare(name, 'control-plane', { folder, config, restarts: true, ...clocks[index] }),
    );
  }
  const placeOf = async (name: string, port: number, agentPort: number): Promise<Place> => {
    const way = await TcpProxy.start(ports[0] ?? 0);
    const cache = join(disk, name);
    await mkdir(cache, { recursive: true });
    const config = {
      dataplane: {
        cluster: `default/${name}`,
        xdsAddress: `127.0.0.1:${way.port}`,
        adminListen: `127.0.0.1:${agentPort}`,
        cache: { directory: cache, secrets: true },
        nameServers: [`${named.dns.host}:${named.dns.port}`],
        concurrency: 1,
      },
      xds: { insecure: true },
      backends,
      log: { level: 'warn' },
    };
    const process = await OwnProcess.prepare(name, 'data-plane', { folder, config });
    return { process, door: { address: '127.0.0.1', port }, way, cache };
  };
  const proxy = await placeOf('edge', door, ports[10] ?? 0);
  const spare = await placeOf('spare', spareDoor, ports[11] ?? 0);
  for (const process of [...replicas, proxy.process, spare.process]) await process.start();
  const serves = (place: Place, host: string) =>
    until(`${host} to be served`, async () => (await statusOf(place.door, host, false, 10_000)) === 200, patientMs);
  for (const place of [proxy, spare]) await serves(place, 'steady.test');
  await serves(proxy, 'named.test');
  const summary = async (replica: 0 | 1): Promise<Summary | undefined> => {
    const response = await fetch(`http://${at(replica * 4 + 1)}/v1/summary`, {
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined);
    return (await response?.json().catch(() => undefined)) as Summary | undefined;
  };
  let routes = 0;
  return {
    api,
    writers,
    ways,
    replicas,
    clocks,
    between,
    named,
    proxy,
    spare,
    disk,
    xdsPorts: [ports[0] ?? 0, ports[4] ?? 0],
    closedPort: ports[12] ?? 0,
    summary,
    async converged() {
      const began = performance.now();
      routes += 1;
      await api.apply(routeYaml(`new-${routes % 5}`, `new-${routes}.test`));
      await serves(proxy, `new-${routes}.test`);
      const answersMs = Math.round(performance.now() - began);
      await until(
        'replicas to have one snapshot',
        async () => {
          const [one, other] = [await summary(0), await summary(1)];
          return one?.snapshotVersion != null && one.snapshotVersion === other?.snapshotVersion;
        },
        patientMs,
      );
      return { answersMs, convergedMs: Math.round(performance.now() - began) };
    },
    async stop() {
      for (const process of [proxy.process, spare.process, ...replicas]) await process.end();
      for (const way of ways) way.close();
      for (const way of [proxy.way, spare.way, ...between]) await way[Symbol.asyncDispose]();
      await named.stop();
      await closeServer(backend);
      await api.stop();
    },
  };
}

/** How often the lease went to another holder. */
export async function leaseTransitions({ api }: World): Promise<number> {
  const type = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' };
  const { items } = await api.client.listPage(type, { namespace: 'default', limit: 100 });
  const [lease] = items.filter(({ metadata }) => metadata.name?.includes('leader'));
  return Number((lease?.spec as { leaseTransitions?: number } | undefined)?.leaseTransitions ?? 0);
}
