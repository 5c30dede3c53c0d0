import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { parse, stringify } from 'yaml';
import { baseFiles } from '../../scripts/generate/packaging.ts';
import { root } from '../../scripts/paths.mjs';
import { buildAddOns } from '../../src/app/addons/build-add-ons.ts';
import type { ControlPlane } from '../../src/app/control-plane/index.ts';
import { startOperator } from '../../src/app/operator/index.ts';
import { loadConfig } from '../../src/config/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { borrowApiServer } from './kube-apiserver/borrow.ts';
import type { KubeApiServer } from './kube-apiserver.ts';
import { type RequestOptions, request } from './request.ts';

/** Where the manifests install it, and who it is there. */
export const systemNamespace = 'gatewright-system';
export const shippedUser = `system:serviceaccount:${systemNamespace}:gatewright`;

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** An API server with all that the manifests bring before the control plane, and `crds` of the Gateway API. */
export async function startShippedApi(
  crds: readonly string[],
  { own = [], users = [] }: { readonly own?: readonly string[]; readonly users?: readonly string[] } = {},
): Promise<KubeApiServer> {
  const api = await borrowApiServer({ users: [shippedUser, ...users] });
  try {
    for (const plural of crds) await api.installCrd(`${plural}.gateway.networking.k8s.io`);
    for (const plural of own) await api.installCrd(`${plural}.gatewright.dev`, 'own');
    await api.apply(textOf('manifests/00-namespace.yaml'));
    for (const path of baseFiles('rbac')) await api.apply(textOf(path));
    await api.apply(textOf('manifests/25-settings.yaml'));
    return api;
  } catch (error) {
    await api.stop();
    throw error;
  }
}

/** A control plane in this process with the configuration and the rights of the manifests. */
export interface ShippedOperator {
  readonly control: ControlPlane;
  readonly logLines: readonly string[];
  layout1(path: string, init?: RequestOptions): Promise<Response>;
  layout2(path: string, init?: RequestOptions): Promise<Response>;
  stop(): Promise<void>;
}

/** `change` is what a test has otherwise than the manifests, besides ports of its own. */
export async function startShippedOperator(
  api: KubeApiServer,
  change: (config: Record<string, object>) => object = (config) => config,
  kubeConfig: KubeConfig = api.kubeConfigOf(shippedUser),
): Promise<ShippedOperator> {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-shipped-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const exported = JSON.parse(kubeConfig.exportConfig());
  // As in a pod, whose namespace is its own.
  exported.contexts[0].context.namespace = systemNamespace;
  await writeFile(kubeconfig, JSON.stringify(exported));
  const shipped = parse(parse(textOf('manifests/20-config.yaml')).data['config.yaml']);
  const any = '127.0.0.1:0';
  const config = {
    ...shipped,
    source: { kubernetes: { kubeconfig } },
    infrastructure: { ...shipped.infrastructure, image: 'gatewright:test' },
    xds: { ...shipped.xds, listen: any },
    admin: { listen: any, layout2Listen: any },
    metrics: { listen: any },
    replicas: {},
    // Tests ask again every few milliseconds.
    adminAuth: { ...shipped.adminAuth, requestsPerSecond: 0 },
  };
  const file = join(directory, 'config.yaml');
  await writeFile(file, stringify(change(config)));
  const logLines: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => logLines.push(line) } });
  const control = await startOperator(
    { config: loadConfig(file, {}), logger, version: 'test', env: {} },
    { buildAddOns },
  );
  // Tests that take the API server away look at what is answered meanwhile.
  control.ended.catch(() => {});
  const { layout1, layout2 } = control.ports;
  return {
    control,
    logLines,
    layout1: (path, init) => request(`http://127.0.0.1:${layout1}${path}`, init),
    layout2: (path, init) => request(`http://127.0.0.1:${layout2}${path}`, init),
    async stop() {
      await control.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export const bearer = (token: string, more: RequestOptions = {}): RequestOptions => ({
  ...more,
  headers: { ...more.headers, Authorization: `Bearer ${token}` },
});

interface Issued {
  readonly status: { readonly token: string };
}

/** A token of a ServiceAccount, as `kubectl create token` makes it. */
export async function tokenOf(
  { client }: KubeApiServer,
  namespace: string,
  name: string,
  audiences: readonly string[] = [],
): Promise<string> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences } };
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  return (await client.json<Issued>({ method: 'POST', path, body: JSON.stringify(body) })).status.token;
}
