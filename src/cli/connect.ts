import { readFileSync } from 'node:fs';
import { AdminClient } from './admin-client.ts';
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

/**
 * Runs `work` with a client: of `--server` or `$GATEWRIGHT_SERVER`; of a cluster when a kubeconfig or a context is named;
 * else of a control plane on this machine.
 */
export async function withAdmin(
  options: ConnectOptions,
  env: NodeJS.ProcessEnv,
  work: (client: AdminClient) => Promise<void>,
): Promise<void> {
  const token = tokenOf(options, env);
  const client = (server: string) => new AdminClient({ server, ...(token !== undefined && { token }) });
  const server = options.server ?? env.GATEWRIGHT_SERVER;
  const inCluster = options.kubeconfig !== undefined || options.context !== undefined;
  if (server !== undefined || !inCluster) return await work(client(urlOf(server ?? localServer)));
  // Loading the Kubernetes client takes longer than most commands.
  const { forwardToControlPlane } = await import('./port-forward.ts');
  const { kubeconfig, context, installNamespace: namespace } = options;
  const place = {
    namespace,
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  };
  const forwarded = await forwardToControlPlane(place, adminPort);
  try {
    await work(client(forwarded.url));
  } finally {
    forwarded.close();
  }
}

function urlOf(server: string): string {
  const url = server.includes('://') ? server : `http://${server}`;
  if (URL.canParse(url)) return url;
  throw new CliError(`--server ${JSON.stringify(server)} is no URL: write it like ${localServer}`);
}

function tokenOf({ tokenFile }: ConnectOptions, env: NodeJS.ProcessEnv): string | undefined {
  if (tokenFile === undefined) return env.GATEWRIGHT_TOKEN || undefined;
  try {
    return readFileSync(tokenFile, 'utf8').trim();
  } catch (error) {
    throw new CliError(`cannot read --token-file: ${(error as Error).message}`);
  }
}
