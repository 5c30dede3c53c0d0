import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { type HttpListener, listen } from '../admin/http/index.ts';
import { ConfigError, SecretText } from '../config/index.ts';
import { bootstrapFault } from '../contracts/index.ts';
import { defaultClusterDomain, plainName } from '../egress/index.ts';
import { typeUrls } from '../envoy/wire/index.ts';
import { Backoff } from '../std/index.ts';
import { componentLogger, type Logger } from '../telemetry/index.ts';
import { plainAccess } from './access/index.ts';
import { createAgentAdmin } from './admin/app.ts';
import { agentMetrics } from './admin/metrics.ts';
import { ConfigCache, readCacheKey } from './cache/index.ts';
import { type Clock, systemClock } from './clock.ts';
import { DnsGuard } from './dns/index.ts';
import { type BootstrapOptions, bootstrapJson } from './envoy/bootstrap.ts';
import { EnvoyAdmin } from './envoy/envoy-admin.ts';
import { extendBootstrap } from './envoy/extend-bootstrap.ts';
import { defaultMaxConnections, defaultMaxHeapBytes } from './envoy/overload.ts';
import { Watchdog } from './envoy/watchdog.ts';
import { type EnvoySpec, Envoys } from './envoys.ts';
import type { DataPlaneAgentOptions } from './options.ts';
import { BindRetry, Relay, Upstream, UsageRelay } from './relay/index.ts';
import { SessionKeys, SessionServer, SessionTables } from './sessions/index.ts';
import { type AgentState, observe } from './state.ts';
import { type EnvoyFiles, openWorkDir, type WorkDir } from './work-dir.ts';

const defaultDrainTimeMs = 10_000;
const defaultWatchdog = { intervalMs: 10_000, patienceMs: 60_000 };
/** Envoy's own default for the same is a quarter of an hour. */
const defaultHandoverMs = 600_000;

/** Everything that exists between a start and its stop. */
interface Running {
  readonly workDir: WorkDir;
  readonly envoys: Envoys;
  readonly sessions: SessionServer;
  readonly http: HttpListener;
  /** Ends the stream to the control plane. */
  readonly disconnect: AbortController;
  /** Settled when Envoy and the stream to the control plane are gone. */
  readonly tasks: Promise<unknown>[];
}

/** What of the options can be another while the agent runs. */
export type EnvoyChanges = Partial<Pick<DataPlaneAgentOptions, 'envoyPath' | 'bootstrap' | 'logLevel' | 'drainTimeMs'>>;

/**
 * The data plane's agent: starts Envoy and keeps it running, relays its configuration from the control plane, and tells
 * how it is on the admin API. One agent, one start, one stop.
 */
export class DataPlaneAgent {
  #options: DataPlaneAgentOptions;
  #lastState: AgentState | undefined;
  readonly #clock: Clock;
  /** Of this process alone, so that no other agent's token reads its reports. */
  readonly #reportToken = new SecretText(randomBytes(32).toString('base64url'));
  readonly #relay: Relay;
  readonly #upstream: Upstream;
  readonly #cache: ConfigCache | undefined;
  readonly #bindRetries: BindRetry;
  readonly #watchdog: Watchdog;
  readonly #usage: UsageRelay;
  readonly #names: DnsGuard;
  readonly #hurry = new AbortController();
  #started: Promise<Running> | undefined;
  #running: Running | undefined;
  #stopped: Promise<void> | undefined;

  /** Throws ConfigError for a key file that cannot be used. */
  constructor(options: DataPlaneAgentOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const logger = componentLogger(options.logger, 'agent').child({ node_id: options.nodeId });
    const noteChanges = options.cache !== undefined;
    const onRefused = () => this.#bindRetries.look();
    const onApplied = () => this.#cache?.changed();
    const { reusePort = false } = options;
    this.#relay = new Relay({ logger, now: () => this.#clock.now(), noteChanges, reusePort, onApplied, onRefused });
    this.#upstream = new Upstream({
      address: options.xdsAddress,
      access: options.access ?? plainAccess(),
      relay: this.#relay,
      reportToken: this.#reportToken,
      logger,
      clock: this.#clock,
      backoff: new Backoff({ baseMs: 100, maxMs: 5000 }),
      supersededBackoff: new Backoff({ baseMs: 8000, maxMs: 120_000 }),
      onLeft: () => this.#bindRetries.look(),
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
    this.#names = this.#makeNames();
    this.#cache = this.#makeCache(logger);
    this.#watchdog = this.#makeWatchdog();
    this.#bindRetries = new BindRetry({
      relay: this.#relay,
      connected: () => this.#upstream.connectedSince !== undefined,
      clock: this.#clock,
      backoff: new Backoff({ baseMs: 500, maxMs: 15_000 }),
    });
  }

  /** The port of the admin API. Throws before `start` has resolved. */
  get adminPort(): number {
    if (!this.#running) throw new Error('the agent is not running');
    return this.#running.http.port;
  }

  /** Envoy's process id; undefined while it is not running. */
  get envoyPid(): number | undefined {
    return this.#running?.envoys.pid;
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
    const { envoys } = await this.#get();
    // An Envoy that hands over cannot be asked, and serves.
    if (envoys.handingOver && this.#lastState) return this.#lastState;
    const draining = () => this.#stopped !== undefined;
    const parts = { process: envoys, admin: envoys.admin, relay: this.#relay, upstream: this.#upstream, draining };
    const refusedNames = this.#names.refusals.list();
    const state = await observe({ ...parts, cache: this.#cache?.state, refusedNames });
    if (envoys.handingOver) return this.#lastState ?? state;
    this.#lastState = state;
    return state;
  }

  /**
   * Puts an Envoy with other settings in the place of the present one, with open connections kept. Resolves when it serves, or when it
   * is known that it cannot: then the one before goes on, and `state` says why.
   */
  async upgrade(changes: EnvoyChanges): Promise<void> {
    const { envoys, http } = await this.#get();
    this.#options = { ...this.#options, ...changes };
    await this.state();
    await envoys.upgrade(this.#spec(http.port));
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
      // Before Envoy asks, or it would be answered with nothing.
      await this.#cache?.restore();
      const disconnect = new AbortController();
      const tasks: Promise<unknown>[] = [];
      const sessions = this.#sessions(workDir);
      undo.defer(() => sessions.close());
      // Before Envoy asks, and before anybody can be led to the control plane.
      await this.#openNames();
      undo.defer(() => this.#names.close());
      let envoys: Envoys | undefined;
      const http = await this.#serve(() => envoys as Envoys);
      undo.defer(() => http.close(0));
      // The bootstrap tells where the admin API is, so that has to be open first.
      envoys = this.#envoys(workDir, sessions, http.port, disconnect, tasks);
      const { bootstrap } = this.#options;
      undo.defer(() => envoys?.stop());
      // What is only ours was checked when it was written.
      if (bootstrap) await envoys.check();
      envoys.start();
      tasks.push(this.#watchdog.run(disconnect.signal), this.#bindRetries.run(disconnect.signal));
      tasks.push(this.#keepSockets(envoys, disconnect.signal), this.#names.run(disconnect.signal));
      tasks.push(envoys.followBinary(this.#watchdogTimes.intervalMs));
      if (this.#cache) tasks.push(this.#cache.run(disconnect.signal), this.#expire(this.#cache, envoys, disconnect));
      undo.move();
      return { workDir, envoys, sessions, http, disconnect, tasks };
    } finally {
      await undo.disposeAsync();
    }
  }

  #makeNames(): DnsGuard {
    const { egress = {}, xdsAddress, logger } = this.#options;
    const { clusterDomain = defaultClusterDomain, allowedAddresses, nameServers } = egress;
    return new DnsGuard({
      clusterDomain: plainName(clusterDomain),
      controlPlaneHosts: egress.controlPlaneHosts ?? [xdsAddress.replace(/:\d+$/, '')],
      ...(allowedAddresses && { allowedAddresses }),
      servers: nameServers,
      logger: componentLogger(logger, 'names'),
      clock: this.#clock,
    });
  }

  async #openNames(): Promise<void> {
    try {
      await this.#names.listen();
    } catch (cause) {
      const reason = (cause as Error).message;
      throw new ConfigError(`the agent cannot open a port on 127.0.0.1 for Envoy's questions for names: ${reason}`, {
        cause,
      });
    }
  }

  #makeCache(logger: Logger): ConfigCache | undefined {
    const { cache, cluster: gateway } = this.#options;
    if (!cache) return undefined;
    const { directory, keyFile, maxAgeMs, secrets = true } = cache;
    const key = keyFile === undefined ? undefined : readCacheKey(keyFile);
    const confirmedAt = () => this.#upstream.lastConnectedAt;
    const surroundings = { gateway, relay: this.#relay, confirmedAt, logger, clock: this.#clock };
    return new ConfigCache({ directory, key, maxAgeMs, secrets, ...surroundings });
  }

  /** A configuration from disk that has become too old goes, and Envoy with it: the next one has none, and refuses traffic. */
  async #expire(cache: ConfigCache, envoys: Envoys, { signal }: AbortController): Promise<void> {
    try {
      await cache.expired(signal);
      this.#relay.forget();
      envoys.kill('its configuration was too old');
    } catch {
      // Stopped before.
    }
  }

  /** What Envoy is run with, as the options are now. */
  #spec(adminPort: number): EnvoySpec {
    const { envoyPath: path, logLevel = 'warning', drainTimeMs = defaultDrainTimeMs } = this.#options;
    const { concurrency, envoyArgs: extra = [] } = this.#options;
    const options = this.#options;
    const places = () => ({ adminPort, nameServer: this.#names.address });
    const bootstrap = (files: EnvoyFiles) => bootstrapFor(options, files, places());
    return { path, logLevel, drainTimeMs, concurrency, extra, bootstrap };
  }

  #envoys(
    workDir: WorkDir,
    sessions: SessionServer,
    adminPort: number,
    disconnect: AbortController,
    tasks: Promise<unknown>[],
  ): Envoys {
    // The control plane is called as soon as Envoy has said what it wants: before that, there is nothing to ask for.
    let called = false;
    const onRequest = () => {
      if (called || disconnect.signal.aborted) return;
      called = true;
      tasks.push(this.#upstream.run(disconnect.signal));
    };
    return new Envoys({
      spec: this.#spec(adminPort),
      workDir,
      relay: this.#relay,
      usage: this.#usage,
      sessions,
      logger: componentLogger(this.#options.logger, 'envoy'),
      clock: this.#clock,
      onRequest,
      handoverMs: this.#options.handoverMs ?? defaultHandoverMs,
    });
  }

  /** Throws ConfigError for a key that cannot be used. */
  #sessions(workDir: WorkDir): SessionServer {
    const { sessionSocket: socketPath } = workDir.filesOf(0);
    const logger = componentLogger(this.#options.logger, 'sessions');
    const now = () => this.#clock.now();
    const keys = new SessionKeys({ files: this.#options.sessionKeyFiles ?? {}, logger, now });
    const endpointsOf = (cluster: string) => this.#relay.types.get(typeUrls.endpoint)?.held.resources.get(cluster);
    return new SessionServer({ socketPath, tables: new SessionTables({ endpointsOf, keys, now }), logger });
  }

  get #watchdogTimes() {
    return this.#options.watchdog ?? defaultWatchdog;
  }

  #makeWatchdog(): Watchdog {
    const envoys = () => this.#running?.envoys;
    const process = {
      // While it hands over it cannot be asked.
      get pid() {
        return envoys()?.handingOver ? undefined : envoys()?.pid;
      },
      kill: (why: string) => envoys()?.kill(why),
    };
    const admin = { serverInfo: async () => (envoys() as Envoys).admin.serverInfo() };
    const logger = componentLogger(this.#options.logger, 'envoy');
    return new Watchdog({ process, admin, logger, clock: this.#clock, ...this.#watchdogTimes });
  }

  /** Makes sockets again that somebody has removed, before Envoy needs them anew. */
  async #keepSockets(envoys: Envoys, signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    let told = false;
    while (!signal.aborted) {
      await this.#clock.delay(this.#watchdogTimes.intervalMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await Promise.all([envoys.keepSockets(), this.#names.listen()]);
        told = false;
      } catch (error) {
        if (!told) componentLogger(logger, 'agent').error({ err: error }, 'a socket for Envoy cannot be made again');
        told = true;
      }
    }
  }

  #serve(envoys: () => Envoys): Promise<HttpListener> {
    const { nodeId, cluster, version, xdsAddress, adminListen, adminAuth = {} } = this.#options;
    const parts = { relay: this.#relay, upstream: this.#upstream, observe: () => this.state() };
    // Nobody asks before the start is complete, see `state`.
    const admin = new EnvoyAdmin(() => envoys().adminSocket);
    const process = {
      get restarts() {
        return envoys().restarts;
      },
      get upgrades() {
        return envoys().upgrades;
      },
    };
    const watchdog = this.#watchdog;
    const app = createAgentAdmin({
      ...parts,
      envoy: admin,
      reportToken: this.#reportToken,
      adminAuth,
      identity: { nodeId, version, xdsAddress, startedAt: this.#clock.now() },
      names: this.#names,
      metrics: agentMetrics({
        ...parts,
        names: this.#names,
        nodeId,
        cluster,
        process,
        watchdog,
        admin,
        cache: () => this.#cache?.state,
      }),
      now: () => this.#clock.now(),
      logger: componentLogger(this.#options.logger, 'admin'),
    });
    return listen(app.callback(), adminListen, { key: 'dataplane.adminListen' });
  }

  async #stop(): Promise<void> {
    const running = await this.#started?.catch(() => undefined);
    if (!running) return;
    const { envoys, disconnect, sessions, workDir, http, tasks } = running;
    const { signal } = this.#hurry;
    const { minDrainTimeMs = 0 } = this.#options;
    if (!signal.aborted) await envoys.drain({ minDrainTimeMs, signal });
    await envoys.stop();
    await this.#usage.stop();
    disconnect.abort();
    sessions.close();
    this.#names.close();
    await Promise.all(tasks);
    await http.close();
    await workDir.remove();
  }
}

function bootstrapFor(
  options: DataPlaneAgentOptions,
  files: EnvoyFiles,
  places: Pick<BootstrapOptions, 'adminPort' | 'nameServer'>,
): string {
  const { nodeId, cluster, version, zone, bootstrap: addition } = options;
  const { maxHeapBytes = defaultMaxHeapBytes(), maxConnections = defaultMaxConnections } = options;
  const fault = addition && bootstrapFault(addition);
  if (fault !== undefined) throw new ConfigError(`dataplane.${fault}`);
  const ours = bootstrapJson({ nodeId, cluster, zone, version, ...files, ...places, maxHeapBytes, maxConnections });
  return addition ? JSON.stringify(extendBootstrap(JSON.parse(ours), addition), null, 2) : ours;
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
