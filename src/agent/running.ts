import type { HttpListener } from '../admin/http/index.ts';
import { ConfigError } from '../config/index.ts';
import { typeUrls } from '../envoy/wire/index.ts';
import { componentLogger, type Logger } from '../telemetry/index.ts';
import type { AgentCore } from './agent-core.ts';
import type { ConfigCache } from './cache/index.ts';
import type { DnsGuard } from './dns/index.ts';
import { Watchdog } from './envoy/watchdog.ts';
import { checkEnvoy, envoySpec } from './envoy-spec.ts';
import type { TurnOptions } from './envoy-turn.ts';
import { Envoys } from './envoys.ts';
import { GrpcSocket } from './grpc-socket.ts';
import type { DataPlaneAgentOptions } from './options.ts';
import { PasswordServer } from './passwords/index.ts';
import { QuestionSocket } from './questions/index.ts';
import type { GatedEnvoy } from './relay/index.ts';
import { serveAdmin } from './serve-admin.ts';
import { SessionKeys, SessionServer, SessionTables } from './sessions/index.ts';
import type { AgentState } from './state.ts';
import { EndpointWatch, Traffic } from './traffic/index.ts';
import type { TriedEnvoy } from './trials/index.ts';
import { openWorkDir, type WorkDir } from './work-dir.ts';

const defaultWatchdog = { intervalMs: 10_000, patienceMs: 60_000, longestMs: 600_000 };
/** Envoy's own default for the same is a quarter of an hour. */
const defaultHandoverMs = 600_000;
const defaultTrafficMs = 10_000;

/** Everything that exists between a start and its stop. */
export interface Running {
  readonly workDir: WorkDir;
  readonly envoys: Envoys;
  /** What Envoy asks about budgets, and says of usage. */
  readonly asks: GrpcSocket;
  readonly limitSocket: QuestionSocket;
  readonly sessions: SessionServer;
  readonly passwords: PasswordServer;
  readonly http: HttpListener;
  readonly traffic: Traffic;
  /** Ends the stream to the control plane. */
  readonly disconnect: AbortController;
  /** Fulfilled when Envoy and the stream to the control plane are gone. */
  readonly tasks: Promise<unknown>[];
}

/**
 * Opens what Envoy asks and the admin API, and starts Envoy. Rejects with ConfigError, leaving nothing behind.
 * @param observe what the admin API shows; not called before this has resolved
 */
export async function startRunning(
  options: DataPlaneAgentOptions,
  core: AgentCore,
  observe: () => Promise<AgentState>,
): Promise<Running> {
  await checkEnvoy(options.envoyPath);
  const undo = new AsyncDisposableStack();
  try {
    const workDir = await openWorkDir(options.workDir);
    undo.defer(() => workDir.remove());
    core.modules.open(workDir.folder);
    await core.geoFiles.open(workDir.folder);
    // Before Envoy asks, or it would be answered with nothing.
    await core.cache?.restore();
    const disconnect = new AbortController();
    const tasks: Promise<unknown>[] = [];
    const asks = new GrpcSocket({ socketPath: workDir.filesOf(0).askSocket, methods: core.usage.methods });
    undo.defer(() => asks.close());
    const limitSocket = buildLimitSocket(options, core, workDir);
    undo.defer(() => limitSocket.close());
    const sessions = buildSessions(options, core, workDir);
    undo.defer(() => sessions.close());
    const passwords = buildPasswords(options, workDir);
    undo.defer(() => passwords.close());
    // Before Envoy asks, and before any name can lead to the control plane.
    await openNames(core.names);
    undo.defer(() => core.names.close());
    const adminPort = () => http.port;
    const envoys = buildEnvoys(options, core, {
      workDir,
      sockets: [asks, limitSocket, sessions, passwords],
      disconnect,
      tasks,
      adminPort,
    });
    core.trials.open(() => triedEnvoy(envoys, workDir));
    const watchdog = buildWatchdog(options, core, envoys);
    const traffic = buildTraffic(options, core, envoys);
    // The bootstrap names the port of the admin API, so that has to be open before Envoy starts.
    const http = await serveAdmin(options, { core, envoys, watchdog, passwords, observe });
    undo.defer(() => http.close(0));
    undo.defer(() => envoys.stop());
    // What is only ours was checked when it was written.
    if (options.bootstrap) await envoys.check();
    envoys.start();
    tasks.push(...backgroundTasks(options, core, { envoys, watchdog, traffic, disconnect }));
    undo.move();
    return { workDir, envoys, asks, limitSocket, sessions, passwords, http, traffic, disconnect, tasks };
  } finally {
    await undo.disposeAsync();
  }
}

/** What goes on until `disconnect` is aborted. None of these rejects. */
function backgroundTasks(
  options: DataPlaneAgentOptions,
  core: AgentCore,
  {
    envoys,
    watchdog,
    traffic,
    disconnect,
  }: Pick<Running, 'envoys' | 'traffic' | 'disconnect'> & { readonly watchdog: Watchdog },
): Promise<unknown>[] {
  const { signal } = disconnect;
  const { cache } = core;
  return [
    watchdog.run(signal),
    traffic.run(signal),
    core.bindRetries.run(signal),
    core.unchecked.run({ warming: (names) => envoys.admin.warmingClusters(names) }, signal),
    core.listGate.run(gatedEnvoy(envoys), signal),
    keepSockets(options, core, envoys, signal),
    core.names.run(signal),
    ...(options.geoip ? [core.geoFiles.run(watchdogTimes(options).intervalMs, signal)] : []),
    envoys.followBinary(watchdogTimes(options).intervalMs),
    ...(cache ? [cache.run(signal), expire(cache, core, envoys, signal)] : []),
  ];
}

/** The present Envoy, whichever it is. */
const gatedEnvoy = (envoys: Envoys): GatedEnvoy => ({
  get drainTimeMs() {
    return envoys.turn.spec.drainTimeMs;
  },
  listenerWork: () => envoys.admin.listenerWork(),
});

/** As the one that serves at the moment. */
const triedEnvoy = ({ turn: { spec, files } }: Envoys, { folder }: WorkDir): TriedEnvoy => ({
  path: spec.path,
  bootstrap: spec.bootstrap(files),
  folder,
});

async function openNames(names: DnsGuard): Promise<void> {
  try {
    await names.listen();
  } catch (cause) {
    const reason = (cause as Error).message;
    const what = "the agent cannot open a port on 127.0.0.1 for Envoy's questions for names";
    throw new ConfigError(`${what}: ${reason}`, { cause });
  }
}

/** Throws ConfigError for a key that cannot be used. */
function buildSessions(options: DataPlaneAgentOptions, { clock, relay }: AgentCore, workDir: WorkDir): SessionServer {
  const { sessionSocket: socketPath } = workDir.filesOf(0);
  const logger = componentLogger(options.logger, 'sessions');
  const now = () => clock.now();
  const keys = new SessionKeys({ files: options.sessionKeyFiles ?? {}, logger, now });
  const endpointsOf = (cluster: string) => relay.types.get(typeUrls.endpoint)?.held.resources.get(cluster);
  return new SessionServer({ socketPath, tables: new SessionTables({ endpointsOf, keys, now }), logger });
}

function buildPasswords({ logger }: DataPlaneAgentOptions, workDir: WorkDir): PasswordServer {
  const { passwordSocket: socketPath } = workDir.filesOf(0);
  return new PasswordServer({ socketPath, logger: componentLogger(logger, 'passwords') });
}

function buildLimitSocket(
  { onQuestion }: DataPlaneAgentOptions,
  { limits }: AgentCore,
  workDir: WorkDir,
): QuestionSocket {
  const { limitSocket: socketPath } = workDir.filesOf(0);
  return new QuestionSocket({
    socketPath,
    answer(question, done) {
      onQuestion?.();
      limits.answer(question, done);
    },
  });
}

interface EnvoysDeps extends Pick<Running, 'workDir' | 'disconnect' | 'tasks'>, Pick<TurnOptions, 'sockets'> {
  readonly adminPort: () => number;
}

function buildEnvoys(options: DataPlaneAgentOptions, core: AgentCore, deps: EnvoysDeps): Envoys {
  const { workDir, sockets, disconnect, tasks, adminPort } = deps;
  const { clock, relay, usage, limits, names, upstream } = core;
  // The control plane is called as soon as Envoy has said what it wants: before that, there is nothing to ask for.
  let called = false;
  // Another Envoy may take what the one before rejected: the control plane tries it again on another stream.
  let isRenewed = true;
  const onRequest = () => {
    if (!isRenewed) upstream.renew();
    isRenewed = true;
    if (called || disconnect.signal.aborted) return;
    called = true;
    tasks.push(upstream.run(disconnect.signal));
  };
  return new Envoys({
    spec: envoySpec(options, () => ({ adminPort: adminPort(), nameServer: names.address })),
    workDir,
    relay,
    usage,
    limits,
    sockets,
    logger: componentLogger(options.logger, 'envoy'),
    clock,
    onRequest,
    onOtherBinary(hasAsked) {
      isRenewed = hasAsked;
      if (hasAsked) upstream.renew();
    },
    handoverMs: options.handoverMs ?? defaultHandoverMs,
  });
}

const watchdogTimes = ({ watchdog }: DataPlaneAgentOptions) => ({ ...defaultWatchdog, ...watchdog });

function buildWatchdog(options: DataPlaneAgentOptions, { clock }: AgentCore, envoys: Envoys): Watchdog {
  const process = {
    // While it hands over it cannot be asked.
    get pid() {
      return envoys.handingOver ? undefined : envoys.pid;
    },
    kill: (why: string) => envoys.kill(why),
  };
  const logger = componentLogger(options.logger, 'envoy');
  return new Watchdog({ process, admin: envoys.admin, logger, clock, ...watchdogTimes(options) });
}

function buildTraffic(
  { trafficIntervalMs = defaultTrafficMs }: DataPlaneAgentOptions,
  core: AgentCore,
  envoys: Envoys,
): Traffic {
  const { reports, clock } = core;
  const envoy = {
    admin: envoys.admin,
    // While it hands over it cannot be asked.
    get pid() {
      return envoys.handingOver ? undefined : envoys.pid;
    },
  };
  const endpoints = new EndpointWatch({ admin: envoys.admin, reports, clock });
  return new Traffic({ envoy, reports, endpoints, clock, intervalMs: trafficIntervalMs });
}

/** Makes sockets again that were removed, before Envoy needs them again. */
async function keepSockets(
  options: DataPlaneAgentOptions,
  { clock, names }: AgentCore,
  envoys: Envoys,
  signal: AbortSignal,
): Promise<void> {
  const logger: Logger = componentLogger(options.logger, 'agent');
  let isLogged = false;
  while (!signal.aborted) {
    await clock.delay(watchdogTimes(options).intervalMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await Promise.all([envoys.keepSockets(), names.listen()]);
      isLogged = false;
    } catch (error) {
      if (!isLogged) logger.error({ err: error }, 'failed to make a socket for Envoy again');
      isLogged = true;
    }
  }
}

/** A configuration from disk that has become too old goes, and Envoy with it: the next one has none, and rejects traffic. */
async function expire(cache: ConfigCache, { relay }: AgentCore, envoys: Envoys, signal: AbortSignal): Promise<void> {
  try {
    await cache.expired(signal);
    relay.forget();
    envoys.kill('its configuration was too old');
  } catch {
    // Stopped before.
  }
}
