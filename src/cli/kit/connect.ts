import { readFileSync } from 'node:fs';
import { parseDurationMs } from '../../std/index.ts';
import type { TextPart } from '../collect/collect.ts';
import { AdminClient, type AdminClientOptions } from './admin-client.ts';
import { CliError } from './cli-error.ts';

/** How a command finds the control plane. */
export interface ConnectOptions {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Where the control plane is installed. */
  readonly installNamespace: string;
}

const localServer = 'http://127.0.0.1:18081';
const adminPort = 18081;
const metricsPort = 18082;

/** The metrics listener of the control plane, and its logs, as far as they are available. */
export async function withTexts(
  options: ConnectOptions & { readonly metrics?: string },
  env: NodeJS.ProcessEnv,
  client: AdminClient,
  work: (texts: readonly TextPart[]) => Promise<void>,
): Promise<void> {
  const { kubeconfig, context, installNamespace: namespace, metrics } = options;
  if (options.server !== undefined || env.GATEWRIGHT_SERVER || !isInCluster(options)) {
    const { hostname } = new URL(urlOf(options.server ?? env.GATEWRIGHT_SERVER ?? localServer));
    return await work([metricsPart(metrics ?? `http://${hostname}:${metricsPort}`, options, env)]);
  }
  const [{ forwardToControlPlane }, { loadKubeConfig }, { clusterLogs }] = await Promise.all([
    import('./port-forward.ts'),
    import('./kube-config.ts'),
    import('../collect/cluster-logs.ts'),
  ]);
  const place = choiceOf({ kubeconfig, context });
  const forwarded = await forwardToControlPlane({ ...place, namespace }, metricsPort);
  try {
    const logs = await clusterLogs(loadKubeConfig(place), namespace, client).catch((error: Error) => [
      failing('logs', error),
    ]);
    // A server that was named by hand gets the token that was given by hand, and no other.
    const part = metrics === undefined ? textPart(client.at(forwarded.url)) : metricsPart(metrics, options, env);
    await work([part, ...logs]);
  } finally {
    forwarded.close();
  }
}

const failing = (name: string, error: Error): TextPart => ({ name, read: () => Promise.reject(error) });

function metricsPart(server: string, options: ConnectOptions, env: NodeJS.ProcessEnv): TextPart {
  const token = tokenOf(options, env);
  const client = new AdminClient({ server: urlOf(server), ...timeoutOf(env), ...(token !== undefined && { token }) });
  return textPart(client);
}

const textPart = (client: AdminClient): TextPart => ({ name: 'metrics.txt', read: () => client.text('/metrics') });

const isInCluster = ({ kubeconfig, context }: ConnectOptions): boolean =>
  kubeconfig !== undefined || context !== undefined;

const choiceOf = ({ kubeconfig, context }: Pick<ConnectOptions, 'kubeconfig' | 'context'>) => ({
  ...(kubeconfig !== undefined && { kubeconfig }),
  ...(context !== undefined && { context }),
});

/**
 * Runs `work` with the address of the admin API, as a browser on this machine can use it: of `--server` or `$GATEWRIGHT_SERVER`, of a port that is
 * forwarded into the cluster as long as `work` lasts, or of a control plane on this machine. No token has to do with it.
 */
export async function withAddress(
  options: ConnectOptions & { readonly port: number },
  env: NodeJS.ProcessEnv,
  work: (url: string, isForwarded: boolean) => Promise<void>,
): Promise<void> {
  const server = options.server ?? (env.GATEWRIGHT_SERVER || undefined);
  if (server !== undefined || !isInCluster(options)) return await work(urlOf(server ?? localServer), false);
  const { forwardToControlPlane } = await import('./port-forward.ts');
  const place = { namespace: options.installNamespace, ...choiceOf(options) };
  const forwarded = await forwardToControlPlane(place, adminPort, options.port);
  try {
    await work(forwarded.url, true);
  } finally {
    forwarded.close();
  }
}

/**
 * Runs `work` with a client: of `--server` or `$GATEWRIGHT_SERVER`; of a cluster when a kubeconfig or a context is named;
 * else of a control plane on this machine. Without a token that was given, one of a cluster is found by the person's own rights there.
 */
export async function withAdmin(
  options: ConnectOptions,
  env: NodeJS.ProcessEnv,
  work: (client: AdminClient) => Promise<void>,
): Promise<void> {
  const [given, timeout] = [tokenOf(options, env), timeoutOf(env)];
  const client = (server: string, token: AdminClientOptions['token']) =>
    new AdminClient({ server, ...timeout, ...(token !== undefined && { token }) });
  const server = options.server ?? env.GATEWRIGHT_SERVER;
  if (server !== undefined || !isInCluster(options)) return await work(client(urlOf(server ?? localServer), given));
  // Loading the Kubernetes client takes longer than most commands.
  const [{ forwardToControlPlane }, { clusterCredential }, { loadKubeConfig }] = await Promise.all([
    import('./port-forward.ts'),
    import('./cluster-credential.ts'),
    import('./kube-config.ts'),
  ]);
  const place = { namespace: options.installNamespace, ...choiceOf(options) };
  const forwarded = await forwardToControlPlane(place, adminPort);
  const { url, tokenSecret } = forwarded;
  try {
    const found = { config: loadKubeConfig(place), namespace: place.namespace, url, tokenSecret };
    await work(client(url, given ?? (await clusterCredential(found))));
  } catch (error) {
    const why = forwarded.failure();
    throw error instanceof CliError && why !== undefined ? new CliError(why, { cause: error }) : error;
  } finally {
    forwarded.close();
  }
}

function urlOf(server: string): string {
  const url = server.includes('://') ? server : `http://${server}`;
  if (URL.canParse(url)) return url;
  throw new CliError(`--server ${JSON.stringify(server)} is no URL: write it like ${localServer}`);
}

/** How long one answer may take, where the user has more patience, or less, than is usual. */
function timeoutOf({ GATEWRIGHT_TIMEOUT: text = '' }: NodeJS.ProcessEnv): Pick<AdminClientOptions, 'timeoutMs'> {
  if (text === '') return {};
  const timeoutMs = parseDurationMs(text);
  if (timeoutMs) return { timeoutMs };
  throw new CliError(`GATEWRIGHT_TIMEOUT ${JSON.stringify(text)} is no duration: write it like 30s`);
}

function tokenOf({ tokenFile }: ConnectOptions, env: NodeJS.ProcessEnv): string | undefined {
  if (tokenFile === undefined) return env.GATEWRIGHT_TOKEN || undefined;
  try {
    return readFileSync(tokenFile, 'utf8').trim();
  } catch (error) {
    throw new CliError(`cannot read --token-file: ${(error as Error).message}`);
  }
}
