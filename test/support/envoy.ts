import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { envoyPath as expectedPath } from '../../scripts/paths.mjs';
import { agentService } from '../../src/contracts/index.ts';
import { until } from './until.ts';

/** The Envoy that the set-up script put into the cache, or `$ENVOY_PATH`. Throws when there is none. */
export function envoyPath(): string {
  const path = expectedPath();
  if (!existsSync(path)) throw new Error(`no Envoy at ${path}: run npm run setup, or set ENVOY_PATH`);
  return path;
}

export interface XdsBootstrapOptions {
  /** Where the xDS server is: a port of 127.0.0.1, or the path of a unix socket. */
  readonly xds: number | string;
  readonly nodeId: string;
  /** `node.cluster`: the gateway's key. */
  readonly cluster: string;
  readonly variant?: 'delta' | 'sotw';
  /** With all that configuration leans on and an agent's bootstrap has. */
  readonly likeAgents?: boolean;
  /** More clusters of the bootstrap. */
  readonly clusters?: readonly object[];
}

/** A bootstrap that takes everything from one ADS stream. `startEnvoy` adds the admin interface. */
export function xdsBootstrap({
  xds,
  nodeId,
  cluster,
  variant = 'delta',
  likeAgents = false,
  clusters = [],
}: XdsBootstrapOptions): object {
  const ads = { ads: {}, resource_api_version: 'V3' };
  return {
    node: { id: nodeId, cluster },
    dynamic_resources: {
      ads_config: {
        api_type: variant === 'delta' ? 'DELTA_GRPC' : 'GRPC',
        transport_api_version: 'V3',
        grpc_services: [{ envoy_grpc: { cluster_name: 'xds' } }],
      },
      cds_config: ads,
      lds_config: ads,
    },
    bootstrap_extensions: !likeAgents
      ? []
      : [
          {
            name: 'envoy.bootstrap.internal_listener',
            typed_config: {
              '@type': 'type.googleapis.com/envoy.extensions.bootstrap.internal_listener.v3.InternalListener',
            },
          },
        ],
    static_resources: {
      clusters: [xdsCluster('xds', xds), ...(likeAgents ? [xdsCluster(agentService, xds)] : []), ...clusters],
    },
  };
}

function xdsCluster(name: string, xds: number | string): object {
  const address =
    typeof xds === 'string' ? { pipe: { path: xds } } : { socket_address: { address: '127.0.0.1', port_value: xds } };
  return {
    name,
    type: 'STATIC',
    connect_timeout: '1s',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  };
}

export interface StartEnvoyOptions {
  /** The bootstrap without `admin`, as an object or as the text of a YAML or JSON file. An own `admin` is kept. */
  readonly bootstrap: object;
  /** More command line arguments. */
  readonly args?: readonly string[];
  /** For the bootstrap and sockets; made (and removed at the end) when missing. */
  readonly directory?: string;
  readonly logLevel?: string;
  /** The program; ours by default. */
  readonly path?: string;
}

/** One listener as Envoy bound it. */
export interface BoundListener {
  readonly name: string;
  readonly address: string;
  readonly port: number;
}

/**
 * A running Envoy process with its admin interface on a unix socket. The caller ends it with `stop()`, also on
 * failure (`t.teardown(() => envoy.stop())`).
 */
export class EnvoyProcess {
  readonly directory: string;
  readonly adminSocket: string;
  readonly #child: ChildProcess;
  readonly #ownsDirectory: boolean;
  readonly #exited: Promise<void>;
  #log = '';

  constructor(child: ChildProcess, directory: string, ownsDirectory: boolean) {
    this.#child = child;
    this.directory = directory;
    this.adminSocket = join(directory, 'admin.sock');
    this.#ownsDirectory = ownsDirectory;
    this.#exited = once(child, 'exit').then(() => undefined);
    const collect = (text: Buffer): void => {
      this.#log += text.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when the process has ended. */
  get exited(): Promise<void> {
    return this.#exited;
  }

  /** All it has written so far. */
  log(): string {
    return this.#log;
  }

  /** The body of a GET on the admin interface; throws when the answer is not 200. */
  async admin(path: string): Promise<string> {
    const { status, body } = await this.adminRequest('GET', path);
    if (status !== 200) throw new Error(`Envoy admin ${path}: ${status} ${body}`);
    return body;
  }

  adminRequest(method: 'GET' | 'POST', path: string): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const outgoing = request({ socketPath: this.adminSocket, method, path, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          body += text;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        response.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  /** One counter or gauge; 0 when Envoy does not know it (yet). */
  async stat(name: string): Promise<number> {
    const text = await this.admin(`/stats?filter=${encodeURIComponent(`^${name.replaceAll('.', '\\.')}$`)}`);
    return Number(text.match(/: (\d+)/)?.[1] ?? 0);
  }

  /** The listeners that are bound, with the ports they got. */
  async listeners(): Promise<readonly BoundListener[]> {
    const body = JSON.parse(await this.admin('/listeners?format=json')) as {
      listener_statuses?: {
        name: string;
        local_address: { socket_address: { address: string; port_value: number } };
      }[];
    };
    return (body.listener_statuses ?? []).map(({ name, local_address: { socket_address: at } }) => ({
      name,
      address: at.address,
      port: at.port_value,
    }));
  }

  /** Waits until the listener is bound and gives its port. */
  async port(listener: string): Promise<number> {
    return await until(
      `listener ${listener}`,
      async () => (await this.listeners()).find(({ name }) => name === listener)?.port,
    );
  }

  /** Waits until `/ready` says LIVE. */
  async ready(timeoutMs?: number): Promise<void> {
    await until('Envoy to be ready', async () => (await this.adminRequest('GET', '/ready')).status === 200, timeoutMs);
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.#child.kill(signal);
  }

  /** Ends the process (only this one) and removes what was made for it. */
  async stop(): Promise<void> {
    if (this.running) this.#child.kill('SIGKILL');
    await this.#exited;
    if (this.#ownsDirectory) await rm(this.directory, { recursive: true, force: true });
  }
}

/** Lines of an access log are written at once: Envoy keeps them for ten seconds, and a test would wait for each. */
const quickLog = ['--file-flush-interval-msec', '20'];

/** Starts a real Envoy and waits for its admin interface. Throws with Envoy's own words when it ends before that. */
export async function startEnvoy(options: StartEnvoyOptions): Promise<EnvoyProcess> {
  const { bootstrap, args = [], logLevel = 'warn', path = envoyPath() } = options;
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'gatewright-envoy-')));
  const file = join(directory, 'bootstrap.json');
  const admin = { address: { pipe: { path: join(directory, 'admin.sock') } } };
  await writeFile(file, JSON.stringify({ admin, ...bootstrap }));
  const fixed = ['-c', file, '--use-dynamic-base-id', '--concurrency', '1', '-l', logLevel, ...quickLog];
  const child = spawn(path, [...fixed, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const envoy = new EnvoyProcess(child, directory, options.directory === undefined);
  try {
    await until('Envoy to start', async () => {
      if (!envoy.running) throw new Error(`Envoy ended at its start:\n${envoy.log()}`);
      return existsSync(envoy.adminSocket) && (await envoy.adminRequest('GET', '/server_info')).status === 200;
    });
  } catch (error) {
    await envoy.stop();
    throw error;
  }
  return envoy;
}

/** What `envoy --mode validate` says about a bootstrap: undefined when it is good, else Envoy's words. */
export async function validateBootstrap(bootstrap: object): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-validate-'));
  try {
    const file = join(directory, 'bootstrap.json');
    await writeFile(file, JSON.stringify(bootstrap));
    const child = spawn(envoyPath(), ['--mode', 'validate', '-c', file, '-l', 'error'], { stdio: 'pipe' });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.stderr.on('data', (text) => {
      output += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return code === 0 ? undefined : output;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
