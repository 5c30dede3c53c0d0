import { type KindName, kinds } from '../gateway-api/index.ts';
import type { GraphView } from '../graph/index.ts';
import type { MetricSet } from '../telemetry/index.ts';

/** What sources report, and what is held of it. */
export function controllerMetrics(metrics: MetricSet) {
  const events = metrics.counter('reconcile_events_total', {
    help: 'Events that reached a reconciler.',
    labels: ['kind'],
  });
  const readable = metrics.gauge('namespace_readable', {
    help: '0 while a namespace of source.kubernetes.namespaces cannot be read.',
    labels: ['namespace'],
  });
  const objects = metrics.observedGauge('input_objects', {
    help: 'Kubernetes objects that are held.',
    labels: ['kind'],
  });
  return {
    event: (kind: string) => events.inc({ kind }),
    /** Of an install that is limited to namespaces. */
    namespaceReadable: (namespace: string, isReadable: boolean) => readable.set({ namespace }, isReadable ? 1 : 0),
    readObjects(graph: Pick<GraphView, 'count'>) {
      objects.readBy(() => (Object.keys(kinds) as KindName[]).map((kind) => [{ kind }, graph.count(kind)]));
    },
  };
}
