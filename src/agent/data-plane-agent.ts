import { constants } from 'node:fs';
import { access, rm, writeFile } from 'node:fs/promises';
import { type HttpListener, listen } from '../admin/index.ts';
import { ConfigError } from '../config/index.ts';
import { typeUrls } from '../envoy/index.ts';
import { bootstrapFault } from '../ir/index.ts';
import { componentLogger } from '../telemetry/index.ts';
import { plainAccess } from './access/index.ts';
import { createAgentAdmin } from './admin/app.ts';
import { agentMetrics } from './admin/metrics.ts';
import { Backoff } from './backoff.ts';
import { type Clock, systemClock } from './clock.ts';
import { envoyArguments } from './envoy/arguments.ts';
import { bootstrapJson } from './envoy/bootstrap.ts';
import { checkBootstrap } from './envoy/check-bootstrap.ts';
import { drain } from './envoy/drain.ts';
import { EnvoyAdmin } from './envoy/envoy-admin.ts';
import { EnvoyProcess } from './envoy/envoy-process.ts';
import { extendBootstrap } from './envoy/extend-bootstrap.ts';
import { defaultMaxConnections, defaultMaxHeapBytes } from './envoy/overload.ts';
import type { DataPlaneAgentOptions } from './options.ts';
import { Downstream, Relay, Upstream, UsageRelay } from './relay/index.ts';
import { SessionKeys, SessionServer, SessionTables } from './sessions/index.ts';
import { type AgentState, observe } from './state.ts';
import { openWorkDir, type WorkDir } from './work-dir.ts';

const defaultDrainTimeMs = 10_000;
/** How long Envoy may take to end after SIGTERM. */
const endTimeMs = 5000;

/** Everything that exists between a start and its stop. */
interface Running {
  readonly workDir: WorkDir;
  readonly admin: EnvoyAdmin;
  readonly downstream: Downstream;
  readonly sessions: SessionServer;
  readonly process: EnvoyProcess;
  readonly http: HttpListener;
  /** Ends the stream to the control plane. */
  readonly disconnect: AbortController;
  /** Settled when Envoy and the stream to the control plane are gone. */
  readonly tasks: Promise<unknown>[];
}

/**
 * The data plane's agent: starts Envoy and keeps it running, relays its configuration from the control plane, and tells
 * how it is on the admin API. One agent, one start, one stop.
 */
export class DataPlaneAgent {
  readonly #options: DataPlaneAgentOptions;
  readonly #clock: Clock;
  readonly #relay: Relay;
  readonly #upstream: Upstream;
  readonly #usage: UsageRelay;
  readonly #hurry = new AbortController();
  #started: Promise<Running> | undefined;
  #running: Running | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: DataPlaneAgentOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const logger = componentLogger(options.logger, 'agent').child({ node_id: options.nodeId });
    this.#relay = new Relay({ logger, now: () => this.#clock.now() });
    this.#upstream = new Upstream({
      address: options.xdsAddress,
      access: options.access ?? plainAccess(),
      relay: this.#relay,
      logger,
      clock: this.#clock,
      backoff: new Backoff({ baseMs: 100, maxMs: 5000 }),
      supersededBackoff: new Backoff({ baseMs: 8000, maxMs: 120_000 }),
    });
    this.#usage = new UsageRelay({
      address: options.xdsAddress,
      access: options.access ?? plainAccess(),
      nodeId: options.nodeId,
      cluster: options.cluster,
      logger,
      clock: this.#clock,
      backoff: new Backoff({ baseMs: 100, maxMs: 5000 }),
    });
  }

  /** The port of the admin API. Throws before `start` has resolved. */
  get adminPort(): number {
    if (!this.#running) throw new Error('the agent is not running');
    return this.#running.http.port;
  }

  /** Envoy's process id; undefined while it is not running. */
  get envoyPid(): number | undefined {
    return this.#running?.process.pid;
  }

  /**
   * Opens the admin API and starts Envoy; resolves when both are under way, which is before there is configuration.
   * Rejects with ConfigError, leaving nothing behind, when Envoy's binary, the port, the work directory or an
   * addition to the bootstrap is not usable.
   * `signal` stops the agent as `stop` does.
   */
  async start(signal?: AbortSignal): Promise<void> {
    if (this.#started || this.#stopped) throw new Error('an agent starts only once');
    signal?.throwIfAborted();
    this.#started = this.#start();
    this.#running = await this.#started;
    if (!signal) return;
    if (signal.aborted) await this.stop();
    signal.addEventListener('abort', () => void this.stop(), { once: true });
  }

  /**
   * Drains Envoy, ends it, and ends the agent. Resolves when no process, port or file is left; can be called more than
   * once. `drain: false` ends Envoy without waiting for open connections, also when a drain is already under way.
   */
  stop({ drain = true }: { readonly drain?: boolean } = {}): Promise<void> {
    if (!drain) this.#hurry.abort();
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** How the data plane is now. */
  async state(): Promise<AgentState> {
    const { process, admin } = await this.#get();
    const draining = () => this.#stopped !== undefined;
    return observe({ process, admin, relay: this.#relay, upstream: this.#upstream, draining });
  }

  /** Resolves when the data plane is ready; rejects when `signal` is aborted before. */
  async ready(signal: AbortSignal): Promise<void> {
    while (!(await this.state()).ready) await this.#clock.delay(20, signal);
  }

  #get(): Promise<Running> {
    return this.#started ?? Promise.reject(new Error('the agent is not running'));
  }

  async #start(): Promise<Running> {
    await checkEnvoy(this.#options.envoyPath);
    const undo = new AsyncDisposableStack();
    try {
      const workDir = await openWorkDir(this.#options.workDir);
      undo.defer(() => workDir.remove());
      const disconnect = new AbortController();
      const tasks: Promise<unknown>[] = [];
      const downstream = this.#downstream(workDir, disconnect, tasks);
      undo.defer(() => downstream.close());
      await downstream.listen();
      const sessions = this.#sessions(workDir);
      undo.defer(() => sessions.close());
      await sessions.listen();
      const admin = new EnvoyAdmin(workDir.adminSocket);
      const process = this.#process(workDir);
      const http = await this.#serve(admin, process);
      undo.defer(() => http.close(0));
      // The bootstrap tells where the admin API is, so that has to be open first.
      await writeFile(workDir.bootstrap, this.#bootstrap(workDir, http.port), { mode: 0o600 });
      await this.#checkAddition(workDir);
      tasks.push(process.run());
      undo.move();
      return { workDir, admin, downstream, sessions, process, http, disconnect, tasks };
    } finally {
      await undo.disposeAsync();
    }
  }

  /** What is only ours was checked when it was written. */
  async #checkAddition(workDir: WorkDir): Promise<void> {
    const { bootstrap: addition, envoyPath } = this.#options;
    if (!addition) return;
    const fault = bootstrapFault(addition);
    if (fault !== undefined) throw new ConfigError(`dataplane.${fault}`);
    await checkBootstrap(envoyPath, this.#envoyArguments(workDir));
  }

  #bootstrap({ xdsSocket, adminSocket, sessionSocket }: WorkDir, adminPort: number): string {
    const { nodeId, cluster, version, zone } = this.#options;
    const { maxHeapBytes = defaultMaxHeapBytes(), maxConnections = defaultMaxConnections } = this.#options;
    const sockets = { xdsSocket, adminSocket, sessionSocket, adminPort };
    const ours = bootstrapJson({ nodeId, cluster, zone, version, ...sockets, maxHeapBytes, maxConnections });
    const { bootstrap: addition } = this.#options;
    return addition ? JSON.stringify(extendBootstrap(JSON.parse(ours), addition), null, 2) : ours;
  }

  /** The control plane is called as soon as Envoy has said what it wants: before that, there is nothing to ask for. */
  #downstream({ xdsSocket }: WorkDir, disconnect: AbortController, tasks: Promise<unknown>[]): Downstream {
    let called = false;
    return new Downstream({
      socketPath: xdsSocket,
      relay: this.#relay,
      usage: this.#usage,
      logger: componentLogger(this.#options.logger, 'agent'),
      onRequest: () => {
        if (called || disconnect.signal.aborted) return;
        called = true;
        tasks.push(this.#upstream.run(disconnect.signal));
      },
    });
  }

  #envoyArguments({ bootstrap: configPath }: WorkDir): string[] {
    const {
      logLevel = 'warning',
      drainTimeMs = defaultDrainTimeMs,
      concurrency,
      envoyArgs: extra = [],
    } = this.#options;
    return envoyArguments({ configPath, logLevel, drainTimeMs, concurrency, extra });
  }

  /** Throws ConfigError for a key that cannot be used. */
  #sessions({ sessionSocket: socketPath }: WorkDir): SessionServer {
    const logger = componentLogger(this.#options.logger, 'sessions');
    const now = () => this.#clock.now();
    const keys = new SessionKeys({ files: this.#options.sessionKeyFiles ?? {}, logger, now });
    const endpointsOf = (cluster: string) => this.#relay.types.get(typeUrls.endpoint)?.held.resources.get(cluster);
    return new SessionServer({ socketPath, tables: new SessionTables({ endpointsOf, keys, now }), logger });
  }

  #process(workDir: WorkDir): EnvoyProcess {
    const { adminSocket } = workDir;
    return new EnvoyProcess({
      path: this.#options.envoyPath,
      args: this.#envoyArguments(workDir),
      logger: componentLogger(this.#options.logger, 'envoy'),
      clock: this.#clock,
      backoff: new Backoff({ baseMs: 100, maxMs: 10_000 }),
      prepare: () => rm(adminSocket, { force: true }),
    });
  }

  #serve(admin: EnvoyAdmin, process: EnvoyProcess): Promise<HttpListener> {
    const { nodeId, version, xdsAddress, adminListen } = this.#options;
    const parts = { relay: this.#relay, upstream: this.#upstream, observe: () => this.state() };
    const app = createAgentAdmin({
      ...parts,
      envoy: admin,
      identity: { nodeId, version, xdsAddress, startedAt: this.#clock.now() },
      metrics: agentMetrics({ ...parts, nodeId, process, admin }),
      now: () => this.#clock.now(),
      logger: componentLogger(this.#options.logger, 'admin'),
    });
    return listen(app.callback(), adminListen, { key: 'dataplane.adminListen' });
  }

  async #stop(): Promise<void> {
    const running = await this.#started?.catch(() => undefined);
    if (!running) return;
    const { process, admin, disconnect, downstream, sessions, workDir, http, tasks } = running;
    if (process.pid !== undefined && !this.#hurry.signal.aborted) {
      const { drainTimeMs = defaultDrainTimeMs, minDrainTimeMs = 0 } = this.#options;
      const logger = componentLogger(this.#options.logger, 'agent');
      await drain({ admin, clock: this.#clock, logger, drainTimeMs, minDrainTimeMs, signal: this.#hurry.signal });
    }
    await process.stop(endTimeMs);
    await this.#usage.stop();
    disconnect.abort();
    downstream.close();
    sessions.close();
    await Promise.all(tasks);
    await http.close();
    await workDir.remove();
  }
}

async function checkEnvoy(path: string): Promise<void> {
  try {
    await access(path, constants.X_OK);
  } catch (cause) {
    const advice = 'set dataplane.envoyPath, or $ENVOY_PATH, to an Envoy binary';
    throw new ConfigError(
      `dataplane.envoyPath: ${path} cannot be run (${(cause as NodeJS.ErrnoException).code}); ${advice}`,
      {
        cause,
      },
    );
  }
}
