import { cpuUsage, memoryUsage } from 'node:process';
import { MetricSet, type MetricsText } from '../../telemetry/index.ts';
import type { CacheState } from '../cache/index.ts';
import type { DnsGuard } from '../dns/index.ts';
import type { EnvoyAdmin } from '../envoy/envoy-admin.ts';
import type { Watchdog } from '../envoy/watchdog.ts';
import type { Envoys } from '../envoys.ts';
import { faultReasons } from '../faults.ts';
import type { LimitService } from '../limits/index.ts';
import type { PasswordServer } from '../passwords/index.ts';
import type { Upstream } from '../relay/index.ts';
import { type AgentState, servingSources } from '../state.ts';
import { limitMetrics, readLimits } from './limit-metrics.ts';
import { passwordMetrics, readPasswords } from './password-metrics.ts';
import { TrafficMetrics, trafficMetrics } from './traffic-metrics.ts';

export interface AgentMetricsOptions {
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of the Gateway that it serves. */
  readonly cluster: string;
  readonly observe: () => Promise<AgentState>;
  readonly process: Pick<Envoys, 'restarts' | 'upgrades'>;
  readonly watchdog: Pick<Watchdog, 'hangs'>;
  /** Undefined: the configuration is not kept on disk. */
  readonly cache: () => CacheState | undefined;
  readonly upstream: Pick<Upstream, 'reconnects' | 'supersededCount'>;
  readonly names: Pick<DnsGuard, 'asked' | 'failed' | 'rejections'>;
  readonly passwords: Pick<PasswordServer, 'counts'>;
  readonly limits: Pick<LimitService, 'counts' | 'calls'>;
  readonly admin: Pick<EnvoyAdmin, 'prometheus' | 'usedStats'>;
}

export interface AgentMetrics extends Pick<MetricsText, 'contentType'> {
  /** The agent's own metrics, with those that it makes of Envoy's. */
  own(): Promise<string>;
  /** Those, then Envoy's while they come in. */
  all(): AsyncGenerator<string | Buffer>;
}

/** Metrics of a data plane, declared. */
export function dataPlaneMetrics(metrics: MetricSet) {
  const count = (name: string, help: string) => metrics.observedCounter(`gateway_dataplane_${name}`, { help });
  return {
    ready: metrics.gauge('gateway_dataplane_ready', {
      help: '1 while this data plane is ready, otherwise 0.',
      labels: ['node_id', 'gateway'],
    }),
    restarts: count('envoy_restarts_total', 'Envoy starts after the first one.'),
    upgrades: count('envoy_upgrades_total', 'Times that a new Envoy process took over from the previous one.'),
    hangs: count('envoy_hangs_total', 'Times that the agent killed Envoy because it was unresponsive.'),
    reconnects: count('xds_reconnects_total', 'xDS streams opened to the control plane after the first one.'),
    superseded: count(
      'xds_superseded_total',
      'xDS streams that the control plane ended because another stream had the same node id.',
    ),
    namesAsked: count('names_asked_total', 'DNS queries from Envoy.'),
    namesFailed: count('names_failed_total', 'DNS queries that no name server could answer.'),
    namesRejected: count(
      'names_refused_total',
      'Addresses left out of DNS answers because requests to them are not allowed.',
    ),
    fault: metrics.gauge('gateway_dataplane_fault', {
      help: '1 while this fault is present; see /api/v1/status.',
      labels: ['reason'],
    }),
    serving: metrics.gauge('gateway_dataplane_serving', {
      help: '1 for the current source of the configuration, 0 for the others.',
      labels: ['source'],
    }),
    traffic: trafficMetrics(metrics),
    passwords: passwordMetrics(metrics),
    limits: limitMetrics(metrics),
    ...processMetrics(metrics),
  };
}

/** Those of a data plane that keeps its configuration on disk. */
export function cacheMetrics(metrics: MetricSet) {
  return {
    writeFailures: metrics.observedCounter('gateway_dataplane_cache_write_failures_total', {
      help: 'Failed writes of the configuration to disk.',
    }),
    bytes: metrics.observedGauge('gateway_dataplane_cache_bytes', {
      help: 'Size of the configuration on disk, in bytes.',
    }),
    writtenAt: metrics.observedGauge('gateway_dataplane_cache_written_timestamp_seconds', {
      help: 'Time of the last write of the configuration to disk, as a Unix timestamp; 0 if there was none.',
    }),
  };
}

/**
 * What the agent itself costs, read when asked for. Not the library's default metrics: they sample the event loop with
 * timers that take more of a processor than an idle agent, and that outlive the agent.
 */
function processMetrics(metrics: MetricSet) {
  return {
    cpu: metrics.observedCounter('process_cpu_seconds_total', {
      help: 'CPU time of the agent process, excluding Envoy.',
    }),
    memory: metrics.observedGauge('process_resident_memory_bytes', {
      help: 'Resident memory of the agent process, excluding Envoy.',
    }),
  };
}

/** Envoy's statistics and the agent's own, as one exposition. While Envoy does not answer, the agent's own are there alone. */
export function agentMetrics(options: AgentMetricsOptions): AgentMetrics {
  const { admin, observe } = options;
  const set = new MetricSet();
  const declared = dataPlaneMetrics(set);
  readCounts(declared, options);
  readPasswords(declared.passwords, options.passwords);
  readLimits(declared.limits, options.limits);
  if (options.cache()) readCache(cacheMetrics(set), options.cache);
  const traffic = new TrafficMetrics(admin, declared.traffic);
  const own = async () => {
    const [state] = await Promise.all([observe(), traffic.look()]);
    showState(declared, state, options);
    return await set.text();
  };
  return {
    contentType: set.contentType,
    own,
    async *all() {
      // Both at once: an Envoy that hangs is waited for once, and a scrape waits no longer than ten seconds.
      const [text, envoy] = await Promise.all([own(), admin.prometheus().catch(() => [])]);
      yield text;
      for await (const chunk of envoy) yield chunk;
    },
  };
}

type Declared = ReturnType<typeof dataPlaneMetrics>;

function readCounts(metrics: Declared, { process, watchdog, upstream, names }: AgentMetricsOptions): void {
  metrics.restarts.readBy(() => process.restarts);
  metrics.upgrades.readBy(() => process.upgrades);
  metrics.hangs.readBy(() => watchdog.hangs);
  metrics.reconnects.readBy(() => upstream.reconnects);
  metrics.superseded.readBy(() => upstream.supersededCount);
  metrics.namesAsked.readBy(() => names.asked);
  metrics.namesFailed.readBy(() => names.failed);
  metrics.namesRejected.readBy(() => names.rejections.total);
  metrics.cpu.readBy(() => {
    const { user, system } = cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.memory.readBy(() => memoryUsage.rss());
}

function readCache(metrics: ReturnType<typeof cacheMetrics>, cache: AgentMetricsOptions['cache']): void {
  metrics.writeFailures.readBy(() => cache()?.writeFailures ?? 0);
  metrics.bytes.readBy(() => cache()?.bytes ?? 0);
  metrics.writtenAt.readBy(() => (cache()?.writtenAt?.getTime() ?? 0) / 1000);
}

function showState(metrics: Declared, state: AgentState, { nodeId, cluster }: AgentMetricsOptions): void {
  metrics.ready.set({ node_id: nodeId, gateway: cluster }, state.ready ? 1 : 0);
  const there = new Set(state.faults.map(({ reason }) => reason));
  for (const reason of faultReasons) metrics.fault.set({ reason }, there.has(reason) ? 1 : 0);
  for (const source of servingSources) metrics.serving.set({ source }, state.serving === source ? 1 : 0);
}
