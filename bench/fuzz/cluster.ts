import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { type KindName, kinds } from '../../src/gateway-api/index.ts';
import { KubeError } from '../../src/kube/index.ts';
import { ObjectMaker } from '../../test/support/fuzz/small-world.ts';
import { KubeApiServer, typeOf } from '../../test/support/kube-apiserver.ts';
import { until } from '../../test/support/until.ts';
import type { AnyObject } from '../../test/support/world.ts';
import { backendAddress } from '../host/own-network.ts';
import { Program } from '../host/program.ts';
import { isReady } from '../support/ask.ts';
import { endChild } from '../support/children.ts';
import type { FuzzOptions, FuzzResult } from './fuzz-part.ts';
import { type Stage, turmoil } from './live.ts';
import { shared } from './live-objects.ts';
import { logFaults } from './log-faults.ts';
import { differenceOf, jsonOf, servedResources } from './served-resources.ts';

/** For the agent's reports. */
const token = 'token-of-the-bench-that-makes-hostile-objects';

const patient = { timeoutMs: 100_000 };

/** A real API server, a control plane, an agent and its Envoy, as processes. */
class Cluster {
  readonly api: KubeApiServer;
  readonly ports: readonly number[];
  readonly #program: Program;
  #control: ChildProcess | undefined;
  #proxy: ChildProcess | undefined;

  private constructor(api: KubeApiServer, ports: readonly number[], program: Program) {
    this.api = api;
    this.ports = ports;
    this.#program = program;
  }

  static async start(): Promise<Cluster> {
    const api = await KubeApiServer.start({ crds: 'experimental', args: [`--advertise-address=${backendAddress}`] });
    await api.installOwnCrds();
    const ports = await Promise.all(Array.from({ length: 12 }, () => freePort()));
    const [traffic = 0, ...others] = ports;
    const [xds, admin, layout2, metrics, agent] = others.map((port) => `127.0.0.1:${port}`);
    const program = await Program.prepare(join(api.directory, 'program'), {
      source: { kubernetes: { kubeconfig: api.kubeconfig } },
      xds: { listen: xds, insecure: true },
      admin: { listen: admin, layout2Listen: layout2 },
      metrics: { listen: metrics },
      infrastructure: { image: 'never-runs', serviceType: 'ClusterIP' },
      dataplane: {
        cluster: `default/${shared}`,
        xdsAddress: xds,
        adminListen: agent,
        adminAuth: { bearerToken: token },
      },
      adminAuth: { requestsPerSecond: 0 },
      log: { level: 'warn' },
    });
    await api.apply(worldYaml(traffic));
    const cluster = new Cluster(api, ports, program);
    await cluster.startControl();
    await cluster.startProxy();
    return cluster;
  }

  async startControl(): Promise<void> {
    this.#control = await this.#program.start('control-plane');
    await until('a snapshot', async () => (await this.#summary()).snapshotVersion ?? undefined, 300_000);
  }

  async startProxy(): Promise<void> {
    this.#proxy = await this.#program.start('data-plane');
    await until('the data plane to be ready', () => isReady(`http://127.0.0.1:${this.ports[5]}`), 300_000);
  }

  async end(): Promise<void> {
    await Promise.all([endChild(this.#proxy), endChild(this.#control)]);
  }

  async #summary(): Promise<{ readonly snapshotVersion: string | null }> {
    return (await (await fetch(`http://127.0.0.1:${this.ports[2]}/v1/summary`)).json()) as never;
  }

  async snapshot(): Promise<string> {
    return await until('a snapshot', async () => (await this.#summary()).snapshotVersion ?? undefined);
  }

  /** What Envoy serves, by type and name, when all of the snapshot is applied. */
  async served(): Promise<ReadonlyMap<string, string>> {
    const agent = `http://127.0.0.1:${this.ports[5]}`;
    const versions = [
      `http://127.0.0.1:${this.ports[3]}/api/v1/config/snapshot/version`,
      `${agent}/api/v1/config/version`,
    ];
    await until('the proxy to have the whole snapshot', async () => {
      const [wanted, applied] = await Promise.all(versions.map((url) => jsonOf<{ readonly id: string }>(url, token)));
      return wanted?.id === applied?.id;
    });
    return await servedResources(agent, token);
  }

  async log(): Promise<string> {
    const files = ['control-plane', 'data-plane'].map((role) => join(this.api.directory, 'program', `${role}.log`));
    return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  }

  /** Keys of routes that name the shared Gateway and whose status is not of what they are now. */
  async withoutStatus(): Promise<string[]> {
    const keys: string[] = [];
    for (const kind of ['HTTPRoute', 'GRPCRoute'] as const) {
      for (let next = ''; ; ) {
        const page = await this.api.client.listPage(kinds[kind], { limit: 500, continue: next });
        for (const { metadata, spec, status } of page.items as unknown as readonly RouteShape[]) {
          const isOurs = (spec?.parentRefs ?? []).some((ref) => isShared(ref, metadata.namespace));
          const seen = (status?.parents ?? []).flatMap(({ conditions }) => conditions ?? []);
          if (isOurs && !seen.some(({ observedGeneration }) => observedGeneration === metadata.generation))
            keys.push(`${kind} ${metadata.namespace}/${metadata.name}`);
        }
        next = page.continue;
        if (next === '') break;
      }
    }
    return keys;
  }
}

interface RouteShape {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation: number };
  readonly spec?: { readonly parentRefs?: readonly ParentRef[] };
  readonly status?: {
    readonly parents?: readonly { readonly conditions?: readonly { observedGeneration?: number }[] }[];
  };
}

interface ParentRef {
  readonly kind?: string;
  readonly group?: string;
  readonly name: string;
  readonly namespace?: string;
}

const isShared = (
  { kind = 'Gateway', group = kinds.Gateway.group, name, namespace }: ParentRef,
  own: string,
): boolean =>
  kind === 'Gateway' && group === kinds.Gateway.group && name === shared && (namespace ?? own) === 'default';

const worldYaml = (port: number): string => `
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${shared}, namespace: default}
spec:
  gatewayClassName: gatewright
  allowedListeners: {namespaces: {from: All}}
  listeners: [{name: http, port: ${port}, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
`;

const withNamespace = (object: AnyObject): AnyObject => {
  const isNamespaced = kinds[object.kind as KindName]?.namespaced ?? false;
  const metadata = { ...object.metadata, ...(isNamespaced && { namespace: object.metadata?.namespace ?? 'default' }) };
  return { ...object, metadata } as AnyObject;
};

/** What belongs to models that no route refers to any more stays for ten minutes, for streams that still use it. */
const isOfModels = (name: string): boolean => /[ /]ai[/-]/.test(name);

/** The same objects through an API server: what it takes reaches the program, and every route that is taken gets its status. */
export async function fuzzCluster(options: FuzzOptions): Promise<FuzzResult> {
  const maker = await ObjectMaker.load();
  const cluster = await Cluster.start();
  const { api } = cluster;
  const stage: Stage = {
    door: { address: '127.0.0.1', port: cluster.ports[0] ?? 0 },
    async put(written) {
      const object = withNamespace(written);
      try {
        await api.client.apply(typeOf(object), object, patient);
        return true;
      } catch (error) {
        if (error instanceof KubeError && rejections.has(error.code)) return false;
        throw error;
      }
    },
    async remove(written) {
      const object = withNamespace(written);
      // One without a namespace and one in `default` are one object here, and only one of them can be taken back.
      await api.client.delete(typeOf(object), object.metadata as never, patient).catch((error: unknown) => {
        if (!(error instanceof KubeError && error.code === 'not-found')) throw error;
      });
    },
    async faults() {
      try {
        await until('all routes to have a status', async () => (await cluster.withoutStatus()).length === 0);
        return [];
      } catch {
        return (await cluster.withoutStatus()).map((key) => `${key} has no status`);
      }
    },
  };
  const { faults: seen, ...figures } = await turmoil(stage, maker, { ...options, ports: cluster.ports.slice(6) });
  const faults = [...seen];
  const [before, served] = [await cluster.snapshot(), await cluster.served()];
  await cluster.end();
  await cluster.startControl();
  await cluster.startProxy();
  const after = await cluster.snapshot();
  if (before !== after)
    faults.push(`seed ${options.seed}: the snapshot was ${before}, and is ${after} after a cold start`);
  const cold = await cluster.served();
  for (const name of new Set([...served.keys(), ...cold.keys()])) {
    const [hot, next] = [served.get(name), cold.get(name)];
    if (hot === next || (next === undefined && isOfModels(name))) continue;
    if (hot === undefined || next === undefined)
      faults.push(
        `seed ${options.seed}: ${hot === undefined ? 'only a cold Envoy has' : 'a cold Envoy lacks'} ${name}`,
      );
    else faults.push(`seed ${options.seed}: Envoy had another ${name} than a cold one: ${differenceOf(hot, next)}`);
  }
  faults.push(...logFaults(await cluster.log()));
  await cluster.end();
  await api.stop();
  return { ...figures, resourcesCompared: cold.size, faults };
}

/** What an API server says of an object that is none, is against its definition, or has nowhere to be. */
const rejections: ReadonlySet<string> = new Set([
  'invalid',
  'not-found',
  'rejected',
  'forbidden',
  'malformed',
  'conflict',
  // What cannot be merged is answered by 500.
  'unavailable',
]);
