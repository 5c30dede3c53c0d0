import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAddOns } from '../../src/app/addons/build-add-ons.ts';
import type { ControlPlane } from '../../src/app/control-plane/index.ts';
import { startOperator } from '../../src/app/operator/index.ts';
import { loadConfig } from '../../src/config/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { borrowApiServer } from './kube-apiserver/borrow.ts';
import { KubeApiServer } from './kube-apiserver.ts';

/** The control plane's own account, which has the rights of rbac/ and no more. */
const user = 'system:serviceaccount:gatewright-system:gatewright';

/** A control plane in this process on an API server of its own, which has a namespace `shop`. */
export interface KubeOperator {
  readonly api: KubeApiServer;
  readonly control: ControlPlane;
  /** Starts another one there, once the first has stopped; it ends with the test's. */
  again(): Promise<ControlPlane>;
  stop(): Promise<void>;
}

export interface KubeOperatorOptions {
  /** Plurals of those of our definitions that are there from the start. */
  readonly own?: readonly string[];
  /** The definitions of the Gateway API that are there from the start, when not only those of Gateways and HTTPRoutes. */
  readonly gatewayApi?: { readonly channel: 'standard' | 'experimental'; readonly version: string };
  /** YAML that is there from the start. */
  readonly objects?: string;
  /** As in the configuration. */
  readonly leaderElection?: string;
  /** As in the configuration, beside the image. */
  readonly infrastructure?: string;
  /** Ingresses are served; a text: as in the configuration. */
  readonly ingress?: boolean | string;
  /** An API server that is there already, and ends with the test's. */
  readonly apiServer?: KubeApiServer;
  /** The folder with the programs of another version of Kubernetes. */
  readonly programs?: string;
}

export async function startKubeOperator({
  own = [],
  gatewayApi,
  objects = '',
  leaderElection = '{enabled: false}',
  infrastructure = 'serviceType: ClusterIP',
  ingress = false,
  apiServer,
  programs,
}: KubeOperatorOptions): Promise<KubeOperator> {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-operator-'));
  const users = [user];
  const api = apiServer ?? (await startApiServer(users, programs));
  const clear = async () => {
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    if (gatewayApi !== undefined) await api.installCrds(gatewayApi.channel, gatewayApi.version);
    else
      for (const plural of ['gatewayclasses', 'gateways', 'httproutes'])
        await api.installCrd(`${plural}.gateway.networking.k8s.io`);
    for (const plural of own) await api.installCrd(`${plural}.gatewright.dev`, 'own');
    for (const name of ['gatewright-system', 'shop'])
      await api.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
    for (const name of ['control-plane', ...(ingress ? ['ingress'] : [])])
      await api.apply(await readFile(new URL(`../../rbac/${name}.yaml`, import.meta.url), 'utf8'));
    await api.apply(objects);
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, api.kubeConfigOf(user).exportConfig());
    const file = join(directory, 'config.yaml');
    await writeFile(file, configuration(kubeconfig, { leaderElection, infrastructure, ingress }));
    const logger = createLogger({ level: 'silent' });
    const parts = { config: loadConfig(file, {}), logger, version: 'test', env: {} };
    const started: ControlPlane[] = [];
    const again = async () => {
      const control = await startOperator(parts, { oldFleetGraceMs: 1000, buildAddOns });
      started.push(control);
      return control;
    };
    const control = await again();
    const stop = async () => {
      for (const each of started) await each.stop();
      await clear();
    };
    return { api, control, again, stop };
  } catch (error) {
    await clear();
    throw error;
  }
}

const startApiServer = (users: readonly string[], programs: string | undefined): Promise<KubeApiServer> =>
  programs === undefined ? borrowApiServer({ users }) : KubeApiServer.start({ users, programs });

const configuration = (
  kubeconfig: string,
  {
    leaderElection,
    infrastructure,
    ingress,
  }: Required<Pick<KubeOperatorOptions, 'leaderElection' | 'infrastructure' | 'ingress'>>,
): string => `
source: {kubernetes: {kubeconfig: ${kubeconfig}}}
xds: {listen: "127.0.0.1:0", insecure: true}
admin: {listen: "127.0.0.1:0", layout2Listen: "127.0.0.1:0"}
metrics: {listen: "127.0.0.1:0"}
infrastructure: {image: "gatewright:test", ${infrastructure}}
leaderElection: ${leaderElection}
ingress: ${typeof ingress === 'string' ? ingress : `{enabled: ${ingress}}`}
backends: {allowedAddresses: [10.0.0.9/32, 127.0.0.1/32, "::1/128"]}
`;
