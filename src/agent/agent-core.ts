import { randomBytes } from 'node:crypto';
import { SecretText } from '../config/index.ts';
import { defaultClusterDomain, plainName } from '../egress/index.ts';
import { Backoff } from '../std/index.ts';
import { componentLogger, type Logger } from '../telemetry/index.ts';
import { plainAccess } from './access/index.ts';
import { ConfigCache, readCacheKey } from './cache/index.ts';
import { type Clock, systemClock } from './clock.ts';
import { DnsGuard } from './dns/index.ts';
import { GeoFiles } from './geoip/index.ts';
import { LimitService } from './limits/index.ts';
import { ModuleFiles } from './modules/index.ts';
import type { DataPlaneAgentOptions } from './options.ts';
import { BindRetry, ControlClient, ListGate, Relay, UncheckedEndpoints, Upstream, UsageRelay } from './relay/index.ts';
import { Failures, Reports } from './traffic/index.ts';
import { Trials } from './trials/index.ts';

/** What an agent has for as long as it lives, whatever happens to Envoy. */
export interface AgentCore {
  readonly clock: Clock;
  /** Of this process alone, so that no other agent's token reads its reports. */
  readonly reportToken: SecretText;
  readonly relay: Relay;
  readonly listGate: ListGate;
  readonly upstream: Upstream;
  /** For calls beside the stream of xDS. */
  readonly client: ControlClient;
  readonly usage: UsageRelay;
  readonly limits: LimitService;
  readonly reports: Reports;
  readonly names: DnsGuard;
  /** Undefined: the configuration is not kept on disk. */
  readonly cache: ConfigCache | undefined;
  readonly bindRetries: BindRetry;
  readonly unchecked: UncheckedEndpoints;
  readonly modules: ModuleFiles;
  readonly geoFiles: GeoFiles;
  readonly trials: Trials;
}

/** Throws ConfigError for a key file that cannot be used. */
export function buildCore(options: DataPlaneAgentOptions): AgentCore {
  const clock = options.clock ?? systemClock;
  const logger = componentLogger(options.logger, 'agent').child({ node_id: options.nodeId });
  const reportToken = new SecretText(randomBytes(32).toString('base64url'));
  const modules = new ModuleFiles();
  const listGate = new ListGate(clock);
  const trials = new Trials({ logger, clock });
  const relay = new Relay({
    modules,
    trials,
    listGate,
    logger,
    now: () => clock.now(),
    noteChanges: options.cache !== undefined,
    sockets: { reusePort: options.reusePort ?? false, ipFamily: options.ipFamily ?? 'IPv4' },
    // Nothing is relayed before all parts are there.
    onApplied: () => cache?.changed(),
    onClusters: () => unchecked.look(),
    onRejected: () => bindRetries.look(),
  });
  const unchecked = new UncheckedEndpoints({ relay, logger, clock });
  const { xdsAddress: address, access = plainAccess() } = options;
  const upstream = new Upstream({
    address,
    access,
    relay,
    reportToken,
    databaseFaults: () => geoFiles.faults,
    logger,
    clock,
    backoff: new Backoff({ baseMs: 100, maxMs: 5000 }),
    supersededBackoff: new Backoff({ baseMs: 8000, maxMs: 120_000 }),
    onLeft: () => bindRetries.look(),
  });
  const onFaults = () => upstream.databasesChanged();
  const geoFiles = new GeoFiles({ paths: options.geoip ?? {}, logger, clock, onFaults });
  const cache = buildCache(options, { relay, upstream, logger, clock });
  const bindRetries = new BindRetry({
    relay,
    connected: () => upstream.connectedSince !== undefined,
    clock,
    backoff: new Backoff({ baseMs: 500, maxMs: 15_000 }),
  });
  const client = new ControlClient({ address, access });
  const reporting = buildReporting(options, { client, logger, clock });
  return {
    clock,
    reportToken,
    relay,
    listGate,
    upstream,
    client,
    ...reporting,
    names: buildNames(options, clock),
    cache,
    bindRetries,
    unchecked,
    modules,
    trials,
    geoFiles,
  };
}

/** What is reported to the control plane beside the stream of xDS. */
function buildReporting(
  { nodeId, cluster, limitPatienceMs: patienceMs }: DataPlaneAgentOptions,
  { client, logger, clock }: Pick<AgentCore, 'client' | 'clock'> & { readonly logger: Logger },
): Pick<AgentCore, 'usage' | 'limits' | 'reports'> {
  const circumstances = { client, nodeId, cluster, logger, clock };
  const backoff = () => new Backoff({ baseMs: 100, maxMs: 5000 });
  const failures = new Failures({ now: () => clock.now().getTime(), onFailure: () => reports.failed() });
  const reports = new Reports({ ...circumstances, failures, backoff: backoff() });
  const limits = new LimitService({ client, nodeId, cluster, patienceMs });
  const usage = new UsageRelay({ ...circumstances, others: failures, limits, backoff: backoff() });
  return { usage, limits, reports };
}

function buildNames({ egress = {}, xdsAddress, logger }: DataPlaneAgentOptions, clock: Clock): DnsGuard {
  const { clusterDomain = defaultClusterDomain, allowedAddresses, nameServers } = egress;
  return new DnsGuard({
    clusterDomain: plainName(clusterDomain),
    controlPlaneHosts: egress.controlPlaneHosts ?? [xdsAddress.replace(/:\d+$/, '')],
    ...(allowedAddresses && { allowedAddresses }),
    servers: nameServers,
    logger: componentLogger(logger, 'names'),
    clock,
  });
}

interface CacheDeps extends Pick<AgentCore, 'relay' | 'upstream' | 'clock'> {
  readonly logger: Logger;
}

function buildCache(
  { cache, cluster: gateway }: DataPlaneAgentOptions,
  { relay, upstream, logger, clock }: CacheDeps,
): ConfigCache | undefined {
  if (!cache) return undefined;
  const { directory, keyFile, maxAgeMs, secrets = true } = cache;
  const key = keyFile === undefined ? undefined : readCacheKey(keyFile);
  const confirmedAt = () => upstream.lastConnectedAt;
  return new ConfigCache({ directory, key, maxAgeMs, secrets, gateway, relay, confirmedAt, logger, clock });
}
