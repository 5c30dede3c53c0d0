import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, parseAllDocuments } from 'yaml';
import { bundle } from '../../scripts/bundle.ts';
import { closeServer, portOf, startEchoServer } from '../../scripts/example/echo-server.ts';
import { freePort } from '../../scripts/free-port.ts';
import { ownCrdDir } from '../../scripts/paths.mjs';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { KubeApiServer, typeOf } from '../../test/support/kube-apiserver.ts';
import { until } from '../../test/support/until.ts';
import { gatewayYaml, rightsYaml, routeYaml, serviceYaml } from '../chaos/objects.ts';
import { OwnProcess } from '../chaos/replica.ts';
import { backendAddress } from '../host/own-network.ts';
import { type Door, statusOf } from '../support/ask.ts';
import { type Conditions, conditionsIn } from './conditions.ts';

const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const patientMs = 300_000;
const user = 'replica-0';

/** A process that is of one release or of the other. */
export interface Upgraded {
  become(release: 'former' | 'new'): Promise<void>;
}

export interface UpgradeWorld {
  readonly door: Door;
  readonly spareDoor: Door;
  readonly replicas: readonly [Upgraded, Upgraded];
  readonly spare: Upgraded;
  /** Those of this checkout, over the former ones. */
  installDefinitions(): Promise<void>;
  conditions(): Promise<Conditions>;
  /** Milliseconds until a new route answers at both Gateways; then waits for so long, in which late changes would show. */
  converged(afterMs: number): Promise<number>;
  /** Versions that objects are stored in, and that are not served. */
  unservedVersions(): Promise<string[]>;
  stop(): Promise<void>;
}

/** `former`: the folder of the former release as `npm run build` makes it. */
export async function openUpgrade(former: string): Promise<UpgradeWorld> {
  const api = await KubeApiServer.start({
    crds: 'experimental',
    args: [`--advertise-address=${backendAddress}`],
    users: [user],
  });
  await applyDefinitions(api, join(former, 'crds'));
  const folder = join(api.directory, 'program');
  await mkdir(folder, { recursive: true });
  await bundle(join(folder, 'new'));
  const programs = { former: join(former, 'bin/gatewright.js'), new: join(folder, 'new/bin/gatewright.js') };
  const backend = (await startEchoServer('web', backendAddress, 0)) as Server;
  const ports = await Promise.all(Array.from({ length: 12 }, () => freePort()));
  const at = (index: number) => `127.0.0.1:${ports[index]}`;
  const doorOf = (index: number): Door => ({ address: '127.0.0.1', port: ports[index] ?? 0 });
  const [door, spareDoor] = [doorOf(8), doorOf(9)];
  await api.apply(rightsYaml([user]));
  for (const yaml of [
    serviceYaml(portOf(backend), backendAddress),
    gatewayYaml('edge', door.port),
    gatewayYaml('spare', spareDoor.port),
  ])
    await api.apply(yaml);
  await applyExamples(api, join(former, '../../examples'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeConfigOf(user).exportConfig(), { mode: 0o600 });
  const upgraded = async (name: string, role: 'control-plane' | 'data-plane', config: object) => {
    const process = await OwnProcess.prepare(name, role, { folder, config });
    await process.start({}, programs.former);
    return {
      async become(release: 'former' | 'new') {
        await process.end();
        await process.start({}, programs[release]);
      },
      end: () => process.end(),
    };
  };
  const controlPlane = (index: 0 | 1) =>
    upgraded(`replica-${index}`, 'control-plane', {
      source: { kubernetes: { kubeconfig } },
      xds: { listen: at(index * 4), insecure: true },
      admin: { listen: at(index * 4 + 1), layout2Listen: at(index * 4 + 2) },
      metrics: { listen: at(index * 4 + 3) },
      infrastructure: { image: 'never-runs', serviceType: 'ClusterIP' },
      leaderElection: { namespace: 'default', leaseDuration: '12s', renewDeadline: '8s', retryPeriod: '1s' },
      replicas: { peers: [at(1), at(5)] },
      log: { level: 'warn' },
    });
  const dataPlane = (name: string, xds: string, admin: string) =>
    upgraded(name, 'data-plane', {
      dataplane: { cluster: `default/${name}`, xdsAddress: xds, adminListen: admin },
      xds: { insecure: true },
      log: { level: 'warn' },
    });
  const [one, other] = [await controlPlane(0), await controlPlane(1)];
  const edge = await dataPlane('edge', at(0), at(10));
  const spare = await dataPlane('spare', at(4), at(11));
  const serves = (to: Door, host: string) =>
    until(`${host} to be served`, async () => (await statusOf(to, host, false, 10_000)) === 200, patientMs);
  for (const to of [door, spareDoor]) await serves(to, 'steady.test');
  let routes = 0;
  const world: UpgradeWorld = {
    door,
    spareDoor,
    replicas: [one, other],
    spare,
    installDefinitions: () => applyDefinitions(api, ownCrdDir),
    conditions: () => conditionsIn(api),
    async converged(afterMs) {
      const began = performance.now();
      routes += 1;
      await api.apply(routeYaml('new', `new-${routes}.test`));
      for (const to of [door, spareDoor]) await serves(to, `new-${routes}.test`);
      const tookMs = performance.now() - began;
      await delay(afterMs);
      return tookMs;
    },
    unservedVersions: () => unservedVersions(api),
    async stop() {
      for (const each of [edge, spare, one, other]) await each.end();
      await closeServer(backend);
      await api.stop();
    },
  };
  await world.converged(5_000);
  return world;
}

async function applyDefinitions({ client }: KubeApiServer, folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  for (const file of files) {
    const definition = parse(await readFile(join(folder, file), 'utf8')) as KubernetesObject;
    if (definition.kind === 'CustomResourceDefinition') await client.apply(crds, definition, { timeoutMs: 100_000 });
  }
  await delay(2_000);
}

/** Objects of every kind, each with all that it needs. */
async function applyExamples({ client }: KubeApiServer, folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const files = await readdir(join(folder, name)).catch(() => []);
    for (const file of files.filter((each) => each.endsWith('.yaml')))
      for (const document of parseAllDocuments(await readFile(join(folder, name, file), 'utf8'))) {
        const object = document.toJS() as KubernetesObject | null;
        if (object === null) continue;
        const metadata = { namespace: 'default', ...object.metadata };
        // What an example has for a run without a cluster, such as endpoints on loopback, is not taken.
        await client.apply(typeOf(object), { ...object, metadata }, { timeoutMs: 100_000 }).catch(() => undefined);
      }
  }
}

async function unservedVersions({ client }: KubeApiServer): Promise<string[]> {
  const { items } = await client.listPage(crds, { limit: 500 });
  return items.flatMap(({ metadata, spec, status }) => {
    const { versions } = spec as { versions: readonly { name: string; served: boolean }[] };
    const { storedVersions = [] } = (status ?? {}) as { storedVersions?: readonly string[] };
    return storedVersions
      .filter((stored) => !versions.some(({ name, served }) => name === stored && served))
      .map((stored) => `${metadata.name} has objects of ${stored}, which is not served`);
  });
}
