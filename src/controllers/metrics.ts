import { type KindName, kinds } from '../gateway-api/index.ts';
import type { GraphView } from '../graph/index.ts';
import type { FileProblem } from '../sources/index.ts';
import type { MetricSet } from '../telemetry/index.ts';

/** What sources report, and what is held of it. */
export function controllerMetrics(metrics: MetricSet) {
  const events = metrics.counter('reconcile_events_total', {
    help: 'Watch events that the controllers have handled, by kind of object.',
    labels: ['kind'],
  });
  const readable = metrics.gauge('namespace_readable', {
    help: '1 while the namespace can be read, 0 while it cannot. Exists for the namespaces in source.kubernetes.namespaces.',
    labels: ['namespace'],
  });
  const objects = metrics.observedGauge('input_objects', {
    help: 'Kubernetes objects in memory, by kind.',
    labels: ['kind'],
  });
  const files = metrics.observedGauge('file_problems', {
    help: 'Problems of files in the directory that is read: `error` keeps an object or a newer version of it out, `warning` is something that is not read.',
    labels: ['severity'],
    initial: [{ severity: 'error' }, { severity: 'warning' }],
  });
  return {
    event: (kind: string) => events.inc({ kind }),
    /** Of an install that is limited to namespaces. */
    namespaceReadable: (namespace: string, isReadable: boolean) => readable.set({ namespace }, isReadable ? 1 : 0),
    readFiles(problems: () => readonly FileProblem[]) {
      files.readBy(() => {
        const all = problems();
        const count = (severity: FileProblem['severity']) =>
          all.filter((problem) => problem.severity === severity).length;
        return (['error', 'warning'] as const).map((severity) => [{ severity }, count(severity)] as const);
      });
    },
    readObjects(graph: Pick<GraphView, 'count'>) {
      objects.readBy(() => (Object.keys(kinds) as KindName[]).map((kind) => [{ kind }, graph.count(kind)]));
    },
  };
}
