import { cpuUsage, memoryUsage } from 'node:process';
import { Counter, Gauge, Registry } from '@prometheus-io/client';
import type { MetricsText } from '../../telemetry/index.ts';
import type { CacheState } from '../cache/index.ts';
import type { DnsGuard } from '../dns/index.ts';
import type { EnvoyAdmin } from '../envoy/envoy-admin.ts';
import type { Watchdog } from '../envoy/watchdog.ts';
import type { Envoys } from '../envoys.ts';
import { faultReasons } from '../faults.ts';
import type { Upstream } from '../relay/index.ts';
import { type AgentState, servingSources } from '../state.ts';
import { TrafficMetrics } from './traffic-metrics.ts';

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
  readonly names: Pick<DnsGuard, 'asked' | 'failed' | 'refusals'>;
  readonly admin: Pick<EnvoyAdmin, 'prometheus' | 'usedStats'>;
}

export interface AgentMetrics extends Pick<MetricsText, 'contentType'> {
  /** The agent's own metrics, with those that it makes of Envoy's. */
  own(): Promise<string>;
  /** Those, then Envoy's while they come in. */
  all(): AsyncGenerator<string | Buffer>;
}

const prefix = 'gatewright_gateway_dataplane_';
const processPrefix = 'gatewright_process_';

/** Envoy's statistics and the agent's own, as one exposition. While Envoy does not answer, the agent's own are there alone. */
export function agentMetrics(options: AgentMetricsOptions): AgentMetrics {
  const { nodeId, cluster, observe, process, watchdog, upstream, admin, cache, names } = options;
  const registry = new Registry();
  const ready = new Gauge({
    name: `${prefix}ready`,
    help: 'Whether this data plane is ready.',
    labelNames: ['node_id', 'gateway'],
    registers: [registry],
  });
  const count = (name: string, help: string, read: () => number) => counter(registry, prefix + name, help, read);
  count('envoy_restarts_total', 'How many times Envoy was started after the first.', () => process.restarts);
  count('envoy_upgrades_total', 'How many times another Envoy took over from the one before.', () => process.upgrades);
  count('envoy_hangs_total', 'How many times Envoy was killed as it did not answer.', () => watchdog.hangs);
  count('xds_reconnects_total', 'How many streams were opened after the first.', () => upstream.reconnects);
  count('xds_superseded_total', 'How many streams another one replaced.', () => upstream.supersededCount);
  count('names_asked_total', 'How many times Envoy asked for a name.', () => names.asked);
  count('names_failed_total', 'How many of these questions no name server could answer.', () => names.failed);
  count('names_refused_total', 'How many addresses of names were left out as no request may be sent there.', () => {
    return names.refusals.total;
  });
  if (cache()) cacheMetrics(registry, cache);
  const fault = new Gauge({
    name: `${prefix}fault`,
    help: 'Whether this is wrong with the data plane now; /api/v1/status has the words.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const serving = new Gauge({
    name: `${prefix}serving`,
    help: 'Where the served configuration comes from: 1 for one of them.',
    labelNames: ['source'],
    registers: [registry],
  });
  processMetrics(registry);
  const traffic = new TrafficMetrics(prefix, admin);
  const own = async () => {
    const state = await observe();
    ready.set({ node_id: nodeId, gateway: cluster }, state.ready ? 1 : 0);
    const there = new Set(state.faults.map(({ reason }) => reason));
    for (const reason of faultReasons) fault.set({ reason }, there.has(reason) ? 1 : 0);
    for (const source of servingSources) serving.set({ source }, state.serving === source ? 1 : 0);
    const [text, ofTraffic] = await Promise.all([registry.metrics(), traffic.text()]);
    return `${text.endsWith('\n') ? text : `${text}\n`}${ofTraffic}`;
  };
  return {
    contentType: registry.contentType,
    own,
    async *all() {
      // Both at once: an Envoy that hangs is waited for once, and whoever scrapes waits no longer than ten seconds.
      const [text, envoy] = await Promise.all([own(), admin.prometheus().catch(() => [])]);
      yield text;
      for await (const chunk of envoy) yield chunk;
    },
  };
}

function cacheMetrics(registry: Registry, cache: () => CacheState | undefined): void {
  counter(
    registry,
    `${prefix}cache_write_failures_total`,
    'How many times the configuration could not be kept on disk.',
    () => cache()?.writeFailures ?? 0,
  );
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `${prefix}${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('cache_bytes', 'Size of the configuration on disk.', () => cache()?.bytes ?? 0);
  gauge('cache_written_timestamp_seconds', 'When it was last written; 0: not yet.', () => {
    return (cache()?.writtenAt?.getTime() ?? 0) / 1000;
  });
}

/**
 * What the agent itself costs, read when asked for. Not the library's default metrics: they sample the event loop with
 * timers that take more of a processor than an idle agent, and that outlive the agent.
 */
function processMetrics(registry: Registry): void {
  counter(registry, `${processPrefix}cpu_seconds_total`, 'Processor time of the agent, without Envoy.', () => {
    const { user, system } = cpuUsage();
    return (user + system) / 1e6;
  });
  new Gauge({
    name: `${processPrefix}resident_memory_bytes`,
    help: 'Memory of the agent, without Envoy.',
    registers: [registry],
    collect() {
      this.set(memoryUsage.rss());
    },
  });
}

/** A counter that shows what somebody else counts. */
function counter(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}
