import { ingressOf, type KindName, keyOf } from '../../gateway-api/index.ts';
import { kubeStatusApi, StatusWriter } from '../../status/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { Core, StatusSink } from '../control-plane/index.ts';
import type { OpenCluster } from './open-cluster.ts';

/** What of a cluster is needed to write statuses. */
export interface WritableCluster {
  readonly writing: Parameters<typeof kubeStatusApi>[0];
  readonly leadership: Pick<OpenCluster['leadership'], 'isLeader'>;
}

/** Writes statuses to the cluster, while this replica leads. */
export function buildStatusWriter(core: Core, { writing, leadership }: WritableCluster): StatusWriter {
  const { config, graph, metrics, logger } = core;
  const log = componentLogger(logger, 'status');
  return new StatusWriter({
    api: kubeStatusApi(writing),
    lookup: (kind, key) => graph.find(kind, key),
    controllerName: config.controllerName,
    isLeader: leadership.isLeader,
    now: () => new Date(),
    onResult: metrics.status.written,
    onFailure: ({ kind, key, message, willRetry }) =>
      log.warn({ kind, name: key, willRetry }, `failed to write status: ${message}`),
  });
}

/** `onChange`: called for each status that differs in meaning. */
export const statusSinkOf = (writer: StatusWriter, onChange?: StatusSink['setDesired']): StatusSink => ({
  setDesired(change) {
    // What is made of an Ingress is in no cluster.
    if (ingressOf(change.key) !== undefined) return;
    writer.setDesired(change.kind, change.key, change.status);
    onChange?.(change);
  },
  setIngress: (ingress, status) => writer.setDesired('Ingress', ingress, status),
  observe({ type, kind, object }) {
    const name = kind.name as KindName;
    if (type === 'deleted') writer.forget(name, keyOf(object));
    else writer.observe(name, keyOf(object));
  },
});
