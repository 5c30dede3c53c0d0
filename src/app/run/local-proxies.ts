import { isDeepStrictEqual } from 'node:util';
import type { InfrastructurePart, InfrastructureParts } from '../../admin/index.ts';
import { DataPlaneAgent, type DataPlaneAgentOptions } from '../../agent/index.ts';
import { ConfigError, formatAddress, metricSinksOf } from '../../config/index.ts';
import { type DataPlaneSpec, parseObjectKey } from '../../gateway-api/index.ts';
import type { ResolvedFleet, ResolvedGateway } from '../../graph/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Core, Proxies } from '../control-plane/index.ts';
import { metricSinksFor } from '../data-plane/index.ts';

export interface LocalProxiesOptions {
  readonly core: Pick<Core, 'setDataPlane' | 'xds'>;
  readonly envoyPath: string;
  readonly version: string;
  readonly logger: Logger;
  /** Where the xDS server is reached from this machine. */
  readonly xdsHost: string;
  /** The first Gateway's agent listens here; further ones take free ports. */
  readonly adminListen: { readonly host?: string; readonly port: number };
  readonly adminAuth: NonNullable<DataPlaneAgentOptions['adminAuth']>;
  readonly bindAddress: (gateway: ResolvedGateway['object']) => string;
  readonly drainTimeMs: number;
  /** The zone that all of them are in. */
  readonly zone?: string | undefined;
  readonly sessionKeyFiles?: DataPlaneAgentOptions['sessionKeyFiles'];
  readonly egress: NonNullable<DataPlaneAgentOptions['egress']>;
}

/** One agent with an Envoy for each Gateway, or for all of a class that shares it, in this process tree: what a Deployment is in a cluster. */
export class LocalProxies implements Proxies {
  readonly #options: LocalProxiesOptions;
  readonly #agents = new Map<string, DataPlaneAgent>();
  /** Those that still end the requests of a Gateway that was removed, by its key. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** Those that did not start, with what they were to start with. */
  readonly #failures = new Map<string, DataPlaneSpec | undefined>();

  constructor(options: LocalProxiesOptions) {
    this.#options = options;
  }

  /** Of the parameters counts what is not about pods, as it is when the proxy is started. */
  ensure({ key, members, parameters: { spec } }: ResolvedFleet): void {
    const { core, bindAddress } = this.#options;
    if (!this.#agents.has(key) && spec === undefined) return;
    if (this.#failures.has(key)) {
      if (isDeepStrictEqual(this.#failures.get(key), spec)) return;
      this.remove(key);
    }
    const [oldest] = members.values();
    const value = bindAddress((oldest as ResolvedGateway).object);
    core.setDataPlane(key, { addresses: [{ type: 'IPAddress', value }], message: '' });
    if (this.#agents.has(key)) return;
    // A Gateway that comes back has the node id of its former agent, and the first of all has its port.
    const former = this.#leaving.get(key);
    const leaving = this.#agents.size === 0 ? [...this.#leaving.values()] : [former ?? []].flat();
    const agent = this.#create(key, spec ?? {});
    this.#agents.set(key, agent);
    this.#start(key, agent, leaving).catch((error: unknown) => this.#failed(key, agent, spec, error));
  }

  async #start(key: string, agent: DataPlaneAgent, leaving: readonly Promise<void>[]): Promise<void> {
    if (leaving.length > 0) {
      const { logger } = this.#options;
      logger.info({ component: 'data-plane', gateway: key }, 'the data plane starts when the former one is drained');
      await Promise.all(leaving);
    }
    if (this.#agents.get(key) === agent) await agent.start();
  }

  remove(key: string): void {
    const agent = this.#agents.get(key);
    if (!agent) return;
    this.#agents.delete(key);
    this.#failures.delete(key);
    this.#options.core.setDataPlane(key, undefined);
    const former = this.#leaving.get(key);
    const gone = Promise.all([former, agent.stop()]).then(() => {
      if (this.#leaving.get(key) === gone) this.#leaving.delete(key);
    });
    this.#leaving.set(key, gone);
  }

  complete(): void {}

  /** The agents, which are part of this process, and the Envoy of each. */
  async parts(): Promise<InfrastructureParts> {
    const parts = await Promise.all([...this.#agents].map(([key, agent]) => partsOf(key, agent)));
    return { parts: parts.flat(), warnings: [] };
  }

  async stop(): Promise<void> {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    await Promise.allSettled([...agents.map((agent) => agent.stop()), ...this.#leaving.values()]);
  }

  #create(key: string, spec: DataPlaneSpec): DataPlaneAgent {
    const { logLevel, drainTime, minDrainTime, bootstrap, reusePort, ipFamily, concurrency, metrics, geoip } = spec;
    const { core, envoyPath, version, logger, adminListen, adminAuth, drainTimeMs, zone, sessionKeyFiles, egress } =
      this.#options;
    const xds = { host: this.#options.xdsHost, port: core.xds.port };
    return new DataPlaneAgent({
      nodeId: key.replace('/', '.').replace(':', '-'),
      cluster: key,
      zone,
      version,
      xdsAddress: formatAddress(xds),
      adminListen: this.#agents.size === 0 ? adminListen : { ...adminListen, port: 0 },
      adminAuth,
      envoyPath,
      drainTimeMs: (drainTime && parseDurationMs(drainTime)) || drainTimeMs,
      minDrainTimeMs: (minDrainTime && parseDurationMs(minDrainTime)) || 0,
      ...(reusePort !== undefined && { reusePort }),
      ...(ipFamily && { ipFamily }),
      ...(concurrency !== undefined && { concurrency }),
      ...(geoip && { geoip: geoip.databases }),
      ...metricSinksFor(metricSinksOf(metrics), process.env),
      ...(logLevel?.envoy && { logLevel: logLevel.envoy }),
      ...(bootstrap && { bootstrap }),
      ...(sessionKeyFiles && { sessionKeyFiles }),
      egress,
      logger: logger.child({ gateway: key }, logLevel?.agent ? { level: logLevel.agent } : {}),
    });
  }

  #failed(key: string, agent: DataPlaneAgent, spec: DataPlaneSpec | undefined, error: unknown): void {
    if (this.#agents.get(key) !== agent) return;
    this.#failures.set(key, spec);
    const message = error instanceof Error ? error.message : String(error);
    // A user's bootstrap that Envoy rejects: the message names it, and where we called Envoy from says nothing more.
    const cause = error instanceof ConfigError ? { error: message } : { err: error };
    this.#options.logger.error({ component: 'data-plane', gateway: key, ...cause }, 'data plane did not start');
    this.#options.core.setDataPlane(key, { addresses: [], message: `The data plane did not start: ${message}` });
  }
}

async function partsOf(key: string, agent: DataPlaneAgent): Promise<InfrastructurePart[]> {
  const { namespace, name: gateway } = parseObjectKey(key);
  const { ready, reason, envoy, listeners } = await agent.state();
  const open = listeners.filter(({ active }) => active).map(({ address }) => address);
  const part = (role: 'agent' | 'envoy', name: string, isReady: boolean, why: string | undefined) => ({
    kind: 'Process' as const,
    namespace,
    name: `${gateway.replace(':', '-')}-${name}`,
    role,
    owner: key,
    state: isReady ? ('ready' as const) : ('pending' as const),
    reasons: why === undefined ? [] : [why],
    replicas: { desired: 1, ready: isReady ? 1 : 0 },
    addresses: role === 'envoy' ? open : [`127.0.0.1:${agent.adminPort}`],
  });
  const envoyName = envoy.pid === undefined ? 'envoy' : `envoy-${envoy.pid}`;
  const live = envoy.state === 'LIVE';
  return [
    part('agent', `agent-${process.pid}`, ready, reason),
    part('envoy', envoyName, live, live ? undefined : (reason ?? `Envoy is ${envoy.state}`)),
  ];
}
