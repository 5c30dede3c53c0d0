import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import { KubeApiServer } from '../../test/support/kube-apiserver.ts';
import { backendAddress } from '../host/own-network.ts';
import { Patience } from '../support/patience.ts';
import { RouteProbe } from '../support/route-probe.ts';
import { StatusWrites } from './status-writes.ts';

export const namespace = 'default';
/** The Service that all routes lead to; its second port has the same endpoint. */
export const backend = { name: 'stub', port: 80, otherPort: 81 };
/** Envoy Gateway's own. */
export const systemNamespace = 'envoy-gateway-system';
/** Where the control planes of others would run. */
export const peerNamespaces = { kgateway: 'kgateway-system', istio: 'istio-system' };
export const users = {
  gatewright: 'gatewright',
  envoyGateway: 'envoy-gateway',
  kgateway: 'kgateway',
  istio: 'istio',
  traefik: 'traefik',
};

const crds: ResourceType = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const bindings: ResourceType = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' };
const namespaces: ResourceType = { group: '', version: 'v1', plural: 'namespaces' };

/**
 * A real API server with etcd that all subjects share, and one backend; no kubelet and no controllers, so that what is measured is the
 * subjects' alone. Each subject is a user of its own there, who may do everything.
 */
export class World implements AsyncDisposable {
  readonly api: KubeApiServer;
  readonly writes: StatusWrites;
  /** With the subject that is measured here. */
  readonly patience: Patience;
  readonly #closeBackend: () => void;

  private constructor(parts: {
    api: KubeApiServer;
    writes: StatusWrites;
    patience: Patience;
    closeBackend: () => void;
  }) {
    this.api = parts.api;
    this.writes = parts.writes;
    this.patience = parts.patience;
    this.#closeBackend = parts.closeBackend;
  }

  /** `definitions`: folders of more resource definitions, as peers' charts have them. `patience`: ten minutes when left out. */
  static async open(
    options: { readonly definitions?: readonly string[]; readonly patience?: Patience } = {},
  ): Promise<World> {
    const { definitions = [], patience = new Patience(10) } = options;
    const writes = await StatusWrites.prepare(tmpdir());
    const args = [`--advertise-address=${backendAddress}`, ...writes.apiServerArgs];
    const api = await KubeApiServer.start({ crds: 'experimental', args, users: Object.values(users) });
    const stub = createServer((_request, response) => response.end('ok')).listen(0, backendAddress);
    // Envoy may be about to use a connection that would be closed for having been idle.
    stub.keepAliveTimeout = 0;
    await once(stub, 'listening');
    const closeBackend = () => {
      stub.closeAllConnections();
      stub.close();
    };
    const world = new World({ api, writes, patience, closeBackend });
    // As they are installed: what is not served would be looked for again and again.
    await api.installOwnCrds();
    for (const folder of definitions)
      for (const crd of await chartDefinitions(folder)) await api.client.create(crds, crd, { timeoutMs: 100_000 });
    for (const [type, object] of objects((stub.address() as AddressInfo).port)) await api.client.apply(type, object);
    return world;
  }

  /** Path of a kubeconfig for one of the users. */
  async kubeconfigOf(user: string): Promise<string> {
    const file = join(this.api.directory, `kubeconfig-${user}`);
    await writeFile(file, this.api.kubeConfigOf(user).exportConfig(), { mode: 0o600 });
    return file;
  }

  /** Asks the Gateway of that name, and writes routes for it. */
  probe(gateway: string, port: number): RouteProbe {
    const { client: kube } = this.api;
    return new RouteProbe({ kube, namespace, gateway, address: '127.0.0.1', port, backend, patience: this.patience });
  }

  /** Class and Gateway of a subject. */
  async addGateway(name: string, controllerName: string, port: number): Promise<void> {
    const group = 'gateway.networking.k8s.io/v1';
    await this.api.client.apply(kinds.GatewayClass, {
      apiVersion: group,
      kind: 'GatewayClass',
      metadata: { name },
      spec: { controllerName },
    });
    await this.api.client.apply(kinds.Gateway, {
      apiVersion: group,
      kind: 'Gateway',
      metadata: { name, namespace },
      spec: { gatewayClassName: name, listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closeBackend();
    await this.api.stop();
    await this.writes.remove();
  }
}

/** The definitions in files of a chart whose only templating is a condition around each. */
async function chartDefinitions(folder: string): Promise<KubernetesObject[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const documents = texts.flatMap((text) => parseAllDocuments(text.replace(/^\{\{.*\}\}$/gm, '')));
  const all = documents.map((document) => document.toJS() as KubernetesObject | null);
  return all.filter((object) => object?.kind === 'CustomResourceDefinition') as KubernetesObject[];
}

function objects(stubPort: number): [ResourceType, KubernetesObject][] {
  const metadata = { name: backend.name, namespace };
  const ports = [
    { name: 'one', port: backend.port, targetPort: stubPort },
    { name: 'other', port: backend.otherPort, targetPort: stubPort },
  ];
  const subjects = Object.values(users).map((name) => ({ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }));
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  return [
    [
      bindings,
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'subjects' },
        roleRef,
        subjects,
      } as KubernetesObject,
    ],
    ...[systemNamespace, ...Object.values(peerNamespaces)].map((name): [ResourceType, KubernetesObject] => [
      namespaces,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    ]),
    [kinds.Service, { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports } }],
    [
      kinds.EndpointSlice,
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { ...metadata, labels: { 'kubernetes.io/service-name': backend.name } },
        addressType: 'IPv4',
        ports: ports.map(({ name }) => ({ name, port: stubPort })),
        endpoints: [{ addresses: [backendAddress], conditions: { ready: true } }],
      } as KubernetesObject,
    ],
  ];
}
