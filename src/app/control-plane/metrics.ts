import { adminMetrics, summaryMetrics } from '../../admin/index.ts';
import { leaderMetrics } from '../../cluster/leader/index.ts';
import { replicaMetrics } from '../../cluster/replicas/index.ts';
import { controllerMetrics } from '../../controllers/index.ts';
import { buildMetrics } from '../../graph/index.ts';
import { keysMetrics } from '../../keys/index.ts';
import { kubeMetrics } from '../../kube/index.ts';
import { sharedLimitsMetrics } from '../../shared-limits/index.ts';
import { statusMetrics } from '../../status/index.ts';
import { MetricSet, type MetricsText } from '../../telemetry/index.ts';
import { trafficMetrics } from '../../traffic/index.ts';
import { xdsMetrics } from '../../xds/index.ts';

/** Metrics of a control plane: what each room declares, and the set that is scraped. Add-ons declare theirs in `set`. */
export type Metrics = ReturnType<typeof createMetrics>;

/** `process`: with those of the process itself, which are made once in it. */
export function createMetrics({ process = true }: { readonly process?: boolean } = {}) {
  const set = new MetricSet();
  if (process) set.observeProcess();
  return {
    set,
    builds: buildMetrics(set),
    controllers: controllerMetrics(set),
    xds: xdsMetrics(set),
    keys: keysMetrics(set),
    kube: kubeMetrics(set),
    sharedLimits: sharedLimitsMetrics(set),
    status: statusMetrics(set),
    leader: leaderMetrics(set),
    replicas: replicaMetrics(set),
    admin: adminMetrics(set),
    summary: summaryMetrics(set),
    traffic: trafficMetrics(set),
    text: () => set.text(),
    contentType: set.contentType,
  } satisfies MetricsText & Record<string, unknown>;
}
