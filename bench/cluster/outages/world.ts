import { issueCertificate } from '../../../scripts/example/certificate.ts';
import { type KubernetesObject, kinds } from '../../../src/gateway-api/index.ts';
import { KubeClient, loadKubeConfig, type ResourceType } from '../../../src/kube/index.ts';
import type { Cluster } from '../../../test/cluster/support/cluster.ts';
import { get, Load } from '../../../test/cluster/support/http.ts';
import { shell } from '../../../test/cluster/support/shell.ts';
import { until } from '../../../test/cluster/support/until.ts';
import type { RouteProbe } from '../../support/route-probe.ts';
import { openClusterRig } from '../rig.ts';

export const system = 'gatewright-system';
const own = 'gatewright-bench';
const leases: ResourceType = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' };
/** Requests under way at once, each on a connection of its own. */
const clients = 4;

export interface Took {
  readonly [what: string]: number | string;
}

/** A cluster with a Gateway that serves, and what one does to it. */
export interface World {
  readonly cluster: Cluster;
  readonly probe: RouteProbe;
  /** Lets requests run as long as `act` does, and counts how they ended; `took` is the result of `act`. */
  underLoad<T>(act: () => Promise<T> | undefined): Promise<Observed<T>>;
  /** How long until a route that is made now answers, and has its status, each from now on. */
  converged(): Promise<{ readonly routeAnswersMs: number; readonly statusWrittenMs: number }>;
  /** Name and address of each pod of the control plane. */
  controlPlanes(): Promise<readonly Pod[]>;
  /** The pod that holds the lease. */
  leader(): Promise<string>;
  rolledOut(): Promise<void>;
  /** Cuts pods off from the API server, both ways; what is returned heals it. */
  cutOff(pods: readonly Pod[]): Promise<() => Promise<void>>;
  /** Applies a Secret with a certificate for a host that has not been seen before. Gives its text. */
  changeCertificate(): Promise<string>;
  system(...args: string[]): Promise<string>;
  own(...args: string[]): Promise<string>;
  close(): Promise<void>;
}

export interface Observed<T> {
  /** How many ended with which status, or code of an error. */
  readonly requests: Readonly<Record<string, number>>;
  /** First and last moment of one that was not answered 200. */
  readonly failed: readonly string[];
  readonly took: T | undefined;
}

export interface Pod {
  readonly name: string;
  readonly address: string;
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
    readonly status: { readonly podIP?: string };
  }[];
}

export async function openWorld(cluster: Cluster): Promise<World> {
  process.env.KUBECONFIG = cluster.kubeconfig;
  const rig = await openClusterRig('gatewright');
  const { probe } = rig;
  const kube = new KubeClient(loadKubeConfig().kubeConfig, { fieldManager: 'bench' });
  let made = 0;
  const now = () => Math.round(performance.now());
  const isAccepted = async (name: string) => {
    const { status } = await kube.get<RouteStatus>(kinds.HTTPRoute, { namespace: own, name });
    return status?.parents?.some(({ conditions }) =>
      conditions.some(({ type, status: value }) => type === 'Accepted' && value === 'True'),
    );
  };
  const world: World = {
    cluster,
    probe,
    async underLoad(act) {
      const ask = () => get(probe.address, '/', 'ready.example.com', probe.port);
      const loads = Array.from({ length: clients }, () => new Load(ask));
      let took: Awaited<ReturnType<typeof act>> | undefined;
      try {
        took = await act();
      } finally {
        await Promise.all(loads.map((load) => load.stop()));
      }
      const requests: Record<string, number> = {};
      for (const load of loads)
        for (const [outcome, count] of Object.entries(await load.stop()))
          requests[outcome] = (requests[outcome] ?? 0) + count;
      const failed = loads.flatMap(({ failedAt }) => failedAt).sort((a, b) => a - b);
      const ends = failed.length === 0 ? [] : [failed[0], failed.at(-1)];
      return { requests, failed: ends.map((at) => new Date(at ?? 0).toISOString()), took };
    },
    async converged() {
      made += 1;
      const name = `after-${made}`;
      const began = now();
      await until(`${name} to be made`, () => probe.put(name, `${name}.example.com`).then(() => true));
      const answers = probe.answersOn(`${name}.example.com`).then(() => now() - began);
      const accepted = until(`${name} to be accepted`, () => isAccepted(name)).then(() => now() - began);
      return { routeAnswersMs: await answers, statusWrittenMs: await accepted };
    },
    async controlPlanes() {
      const text = await world.system('get', 'pods', '-l', 'app.kubernetes.io/component=control-plane', '-o', 'json');
      const { items } = JSON.parse(text) as PodList;
      return items
        .filter(({ metadata, status }) => !metadata.deletionTimestamp && status.podIP)
        .map(({ metadata, status }) => ({ name: metadata.name, address: status.podIP ?? '' }));
    },
    async leader() {
      const { spec } = await kube.get<{ spec?: { holderIdentity?: string } }>(leases, {
        namespace: system,
        name: 'gatewright-leader',
      });
      // A pod's name, and what separates one life of it from the next.
      return spec?.holderIdentity?.replace(/_\w+$/, '') ?? '';
    },
    async rolledOut() {
      await world.system('rollout', 'status', 'deployment', 'gatewright', '--timeout=600s');
    },
    async cutOff(pods) {
      // Both the Service's address, which becomes the node's, and the node's own end at its input.
      const rules = pods.map(({ address }) => ['INPUT', '-s', address, '-p', 'tcp', '--dport', '6443', '-j', 'DROP']);
      for (const rule of rules) await shell('iptables', ['-I', ...rule]);
      return async () => {
        for (const rule of rules) await shell('iptables', ['-D', ...rule]);
      };
    },
    async changeCertificate() {
      const { certificatePem, keyPem } = await issueCertificate(['ready.example.com']);
      await kube.apply(kinds.Secret, secret(certificatePem, keyPem));
      return certificatePem;
    },
    system: (...args) => cluster.kubectl(['-n', system, ...args]),
    own: (...args) => cluster.kubectl(['-n', own, ...args]),
    async close() {
      kube.close();
      await rig.close(false);
    },
  };
  return world;
}

interface RouteStatus {
  readonly status?: {
    readonly parents?: readonly {
      readonly conditions: readonly { readonly type: string; readonly status: string }[];
    }[];
  };
}

const secret = (certificate: string, key: string): KubernetesObject & Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'edge-tls', namespace: own },
  type: 'kubernetes.io/tls',
  stringData: { 'tls.crt': certificate, 'tls.key': key },
});
