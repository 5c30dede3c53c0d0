import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { kubernetesDir, root } from '../../scripts/paths.mjs';
import { run } from '../../scripts/setup/run.mjs';
import { buildAddOns } from '../../src/app/addons/build-add-ons.ts';
import type { ControlPlane } from '../../src/app/control-plane/index.ts';
import { startOperator } from '../../src/app/operator/index.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { KubeError } from '../../src/kube/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { type KubeApiServer, typeOf } from './kube-apiserver.ts';
import { objectsOf } from './manifests.ts';

/** Where the shipped files install. */
export const systemNamespace = 'gatewright-system';

/** The account that the control plane has there. */
export const accountIn = (namespace: string): string => `system:serviceaccount:${namespace}:gatewright`;

/** Kinds that decide what a control plane may do. */
const ofRights: ReadonlySet<string> = new Set([
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
]);

/** What kubectl printed, by folder. */
const built = new Map<string, Promise<string>>();

/** What a kustomization of this checkout makes, such as `manifests` or `overlays/namespaced`. */
export async function kustomized(folder: string): Promise<KubernetesObject[]> {
  const text = built.get(folder) ?? run(join(kubernetesDir(), 'kubectl'), ['kustomize', join(root, folder)]);
  built.set(folder, text);
  return objectsOf(await text);
}

/** The rights that an install comes with. */
export const rightsOf = (objects: readonly KubernetesObject[]): KubernetesObject[] =>
  objects.filter(({ kind }) => ofRights.has(kind));

/** The configuration file that an install comes with. */
export function configOf(objects: readonly KubernetesObject[]): Record<string, Record<string, unknown>> {
  const map = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'gatewright');
  const { data } = map as unknown as { readonly data: Readonly<Record<string, string>> };
  return parse(data['config.yaml'] ?? '');
}

/** The same objects for another namespace of the system, another controller and another class. */
export const renamed = (
  objects: readonly KubernetesObject[],
  system: string,
  gatewayClass: string,
): KubernetesObject[] =>
  JSON.parse(
    JSON.stringify(objects)
      .replaceAll(systemNamespace, system)
      .replaceAll('"name":"gatewright-cluster"', `"name":"${system}-cluster"`)
      .replaceAll('"resourceNames":["gatewright"]', `"resourceNames":["${gatewayClass}"]`)
      .replaceAll('gatewright.dev/gateway-controller', `gatewright.dev/${system}`),
  );

export async function applyAll({ client }: KubeApiServer, objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of objects) await client.apply(typeOf(object), object);
}

/** Deletes what is there of them. */
export async function deleteAll({ client }: KubeApiServer, objects: readonly KubernetesObject[]): Promise<void> {
  for (const { metadata, ...object } of objects) {
    await client.delete(typeOf({ metadata, ...object }), metadata).catch((error: unknown) => {
      if (!(error instanceof KubeError && error.code === 'not-found')) throw error;
    });
  }
}

/** A control plane in this process. */
export interface ShippedInstall {
  readonly control: ControlPlane;
  readonly log: () => string;
  json(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts the control plane with the configuration and the account that an install comes with, on free ports. */
export async function startShipped(
  api: KubeApiServer,
  objects: readonly KubernetesObject[],
  system = systemNamespace,
): Promise<ShippedInstall> {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-install-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const exported = JSON.parse(api.kubeConfigOf(accountIn(system)).exportConfig());
  for (const { context } of exported.contexts) context.namespace = system;
  await writeFile(kubeconfig, JSON.stringify(exported));
  const shipped = configOf(objects);
  const free = '127.0.0.1:0';
  const config = {
    ...shipped,
    source: { kubernetes: { ...(shipped.source?.kubernetes as object), kubeconfig } },
    xds: { ...shipped.xds, listen: free },
    admin: { listen: free, layout2Listen: free },
    adminAuth: {},
    metrics: { listen: free },
    replicas: {},
  };
  const file = join(directory, 'config.yaml');
  await writeFile(file, stringify(config));
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
  const env = { GATEWRIGHT_IMAGE: 'gatewright:test' };
  const control = await startOperator(
    { config: loadConfig(file, env), logger, version: 'test', env },
    { oldFleetGraceMs: 1000, buildAddOns },
  );
  const failed = control.ended.catch((error: unknown) => lines.push(String(error)));
  return {
    control,
    log: () => lines.join(''),
    json: async (path) => (await fetch(`http://127.0.0.1:${control.ports.layout1}${path}`)).json(),
    async stop() {
      await control.stop();
      await failed;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
