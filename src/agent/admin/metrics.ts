import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import type { MetricsText } from '../../telemetry/index.ts';
import type { EnvoyAdmin } from '../envoy/envoy-admin.ts';
import type { EnvoyProcess } from '../envoy/envoy-process.ts';
import type { Upstream } from '../relay/index.ts';
import type { AgentState } from '../state.ts';

export interface AgentMetricsOptions {
  readonly nodeId: string;
  readonly observe: () => Promise<AgentState>;
  readonly process: Pick<EnvoyProcess, 'restarts'>;
  readonly upstream: Upstream;
  readonly admin: Pick<EnvoyAdmin, 'prometheus'>;
}

const prefix = 'gatewright_gateway_dataplane_';

/** Envoy's statistics and the agent's own, as one exposition. While Envoy does not answer, the agent's own are there alone. */
export function agentMetrics(options: AgentMetricsOptions): MetricsText {
  const { nodeId, observe, process, upstream, admin } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'gatewright_' });
  const ready = new Gauge({
    name: `${prefix}ready`,
    help: 'Whether this data plane is ready.',
    labelNames: ['node_id'],
    registers: [registry],
  });
  counter(
    registry,
    'envoy_restarts_total',
    'How many times Envoy was started after the first.',
    () => process.restarts,
  );
  counter(registry, 'xds_reconnects_total', 'How many streams were opened after the first.', () => upstream.reconnects);
  counter(registry, 'xds_superseded_total', 'How many streams another one replaced.', () => upstream.supersededCount);
  return {
    contentType: registry.contentType,
    text: async () => {
      const [state, envoy] = await Promise.all([observe(), admin.prometheus().catch(() => '')]);
      ready.set({ node_id: nodeId }, state.ready ? 1 : 0);
      const own = await registry.metrics();
      return envoy === '' || own.endsWith('\n') ? own + envoy : `${own}\n${envoy}`;
    },
  };
}

/** A counter that shows what somebody else counts. */
function counter(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name: `${prefix}${name}`,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}
