import { Agent, request } from 'node:http';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import type { ExecutionContext } from 'ava';
import { Pressure } from '../../support/rollout.ts';
import { type Cluster, givenCluster } from './cluster.ts';
import { deadlineMs, until } from './until.ts';

interface Server {
  readonly appProtocol: string;
  readonly container: object;
  readonly isGrpc?: boolean;
}

/** Of Gatewright itself, for the Node in it. */
const nodeImage = process.env.GATEWRIGHT_IMAGE || 'gatewright:0.1.0';
/** Made of test/cluster/grpc-server. */
const grpcImage = process.env.GRPC_SERVER_IMAGE || 'gatewright-testbed/grpc-server:0.1.0';

const nodeServer = (...args: readonly string[]): object => ({
  image: nodeImage,
  command: ['/usr/bin/node', '/srv/server.ts', ...args],
  volumeMounts: [{ name: 'script', mountPath: '/srv' }],
});

const h2c = 'kubernetes.io/h2c';

/** `http1` and `h2c` exit at once, with all that they have begun; the others answer what they have begun, and wait for nothing else. */
const servers = {
  http1: { appProtocol: 'http', container: nodeServer('http1') },
  h2c: { appProtocol: h2c, container: nodeServer('h2c') },
  grpc: { appProtocol: h2c, container: nodeServer('grpc', 'finish'), isGrpc: true },
  'grpc-go': { appProtocol: h2c, container: { image: grpcImage }, isGrpc: true },
} as const satisfies Readonly<Record<string, Server>>;

export type Protocol = keyof typeof servers;
const isGrpc = (name: Protocol): boolean => 'isGrpc' in servers[name];
const protocols = Object.keys(servers) as Protocol[];

/** Requests at a time, for each protocol. */
const width = 8;
const port = 3000;

const deployment = (name: Protocol): object[] => [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            {
              name: 'server',
              ...servers[name].container,
              env: [
                { name: 'HOST', value: '0.0.0.0' },
                { name: 'PORT', value: String(port) },
              ],
              readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
              resources: { requests: { cpu: '10m' } },
            },
          ],
          volumes: [{ name: 'script', configMap: { name: 'script' } }],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: {
      selector: { app: name },
      ports: [{ port: 80, targetPort: port, appProtocol: servers[name].appProtocol }],
    },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: isGrpc(name) ? 'GRPCRoute' : 'HTTPRoute',
    metadata: { name },
    spec: {
      parentRefs: [{ name: 'edge' }],
      hostnames: [hostOf(name)],
      rules: [{ backendRefs: [{ name, port: 80 }] }],
    },
  },
];

const hostOf = (name: Protocol): string => `${name}.example.com`;

const gateway = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'edge' },
  spec: { gatewayClassName: 'gatewright', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
};

export interface RolloutLoad {
  /** How often each outcome came: a status, or the text of an error. */
  stop(): Promise<Readonly<Record<Protocol, Readonly<Record<string, number>>>>>;
}

/** A namespace with a Gateway and a Deployment of two pods behind it for each protocol. */
export class RolloutWorld {
  readonly #t: ExecutionContext;
  readonly #cluster: Cluster;
  readonly #namespace: string;

  private constructor(t: ExecutionContext, cluster: Cluster, namespace: string) {
    this.#t = t;
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  /** `script`: what the pods run. Everything is deleted when the test ends. */
  static async open(t: ExecutionContext, namespace: string, script: string): Promise<RolloutWorld> {
    const cluster = givenCluster();
    const world = new RolloutWorld(t, cluster, namespace);
    t.teardown(() => cluster.kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']));
    await cluster.kubectl(['create', 'namespace', namespace]);
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'script' },
      data: { 'server.ts': script },
    };
    const items = [configMap, gateway, ...protocols.flatMap(deployment)];
    await world.#kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return world;
  }

  /** Starts as soon as all answer. `repeats`: gRPC clients repeat what no server has seen, as they do by default. */
  async startLoad({ repeats = false } = {}): Promise<RolloutLoad> {
    const address = await until('the Gateway to be programmed', async () => {
      const text = await this.#kubectl(['get', 'gateway', 'edge', '-o', 'json']);
      const { status } = JSON.parse(text) as {
        readonly status?: { readonly addresses?: { readonly value: string }[] };
      };
      return status?.addresses?.[0]?.value;
    });
    const pressures: [Protocol, Pressure][] = [];
    for (const name of protocols) {
      const ask = isGrpc(name) ? this.#call(address, hostOf(name), repeats) : this.#get(address, hostOf(name));
      await until(`an answer of ${name}`, async () => (await ask().catch(String)) === '200');
      pressures.push([name, new Pressure(width, ask)]);
    }
    const stop = async () =>
      Object.fromEntries(await Promise.all(pressures.map(async ([name, all]) => [name, await all.stop()])));
    return { stop };
  }

  /** Replaces all pods behind the Gateway, as after a change of their image, and waits until the old ones are gone. */
  async rollOut(): Promise<void> {
    const deployments = protocols.map((name) => `deployment/${name}`);
    await this.#restart(deployments, `app in (${protocols.join(',')})`, 2 * protocols.length);
  }

  /** Replaces the proxies. */
  async rollOutProxies(): Promise<void> {
    await this.#restart(['deployment/gatewright-edge'], `app notin (${protocols.join(',')})`, 1);
  }

  async #restart(deployments: readonly string[], selector: string, pods: number): Promise<void> {
    await this.#kubectl(['rollout', 'restart', ...deployments]);
    for (const each of deployments) await this.#kubectl(['rollout', 'status', each, `--timeout=${deadlineMs}ms`]);
    await until('the old pods to be gone', async () => {
      const left = await this.#kubectl(['get', 'pods', '-o', 'name', '-l', selector]);
      return left.trim().split('\n').length === pods;
    });
  }

  #kubectl(args: readonly string[], input?: string): Promise<string> {
    return this.#cluster.kubectl(['-n', this.#namespace, ...args], input);
  }

  #get(address: string, host: string): () => Promise<string> {
    const agent = new Agent({ keepAlive: true, maxSockets: width });
    this.#t.teardown(() => agent.destroy());
    return () =>
      new Promise((resolve, reject) => {
        request({ host: address, path: '/', headers: { host }, agent }, (response) => {
          response.resume().once('end', () => resolve(String(response.statusCode)));
        })
          .once('error', reject)
          .end();
      });
  }

  #call(address: string, host: string, repeats: boolean): () => Promise<string> {
    const options = { 'grpc.default_authority': host, 'grpc.enable_retries': repeats ? 1 : 0 };
    const client = new Client(`${address}:80`, credentials.createInsecure(), options);
    this.#t.teardown(() => client.close());
    const same = (bytes: Buffer): Buffer => bytes;
    return () =>
      new Promise((resolve) => {
        const done = (error: ServiceError | null) => resolve(error ? `gRPC ${error.code} ${error.details}` : '200');
        client.makeUnaryRequest('/shop.Cart/Add', same, same, Buffer.alloc(0), done);
      });
  }
}
