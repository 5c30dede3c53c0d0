import type { V1DaemonSetStatus, V1DeploymentSpec, V1DeploymentStatus } from '@kubernetes/client-node';
import type { DataPlaneSpec, KubernetesObject } from '../gateway-api/index.ts';

/** What runs the pods of proxies. */
export type WorkloadKind = 'Deployment' | 'DaemonSet';

const workloadKinds: readonly WorkloadKind[] = ['Deployment', 'DaemonSet'];

export const isWorkload = (kind: string): kind is WorkloadKind => workloadKinds.some((each) => each === kind);

export const workloadKindOf = ({ workload = 'Deployment' }: DataPlaneSpec = {}): WorkloadKind => workload;

/** A new proxy is ready before an old one starts to drain. */
const besideIt = { maxUnavailable: 0, maxSurge: 1 };
/** Ports of a node can be bound once. One node at a time is without a proxy, after the old one has drained. */
const inItsPlace = { maxUnavailable: 1, maxSurge: 0 };

export const rollingUpdate = ({ hostNetwork }: Pick<DataPlaneSpec, 'hostNetwork'>) =>
  hostNetwork ? inItsPlace : besideIt;

/** How many pods there are, and what keeps more from coming; for people. */
export interface WorkloadFacts {
  readonly desired: number;
  readonly ready: number;
  readonly available: number;
  /** Messages of conditions that say so. */
  readonly failures: readonly string[];
  /** Why the API server rejects pods, such as a quota. */
  readonly rejected?: string;
  /** Why new pods do not take the place of old ones. */
  readonly stuck?: string;
}

export function workloadFacts({ kind, spec, status }: KubernetesObject): WorkloadFacts {
  if (kind === 'DaemonSet') {
    const {
      desiredNumberScheduled: desired = 0,
      numberReady: ready = 0,
      numberAvailable: available = 0,
    } = (status ?? {}) as Partial<V1DaemonSetStatus>;
    return { desired, ready, available, failures: [] };
  }
  const { replicas: desired = 1 } = (spec ?? {}) as Partial<V1DeploymentSpec>;
  const {
    readyReplicas: ready = 0,
    availableReplicas: available = 0,
    conditions = [],
  } = (status ?? {}) as V1DeploymentStatus;
  const failed = conditions.filter(({ status: is, type }) => (is === 'True') === (type === 'ReplicaFailure'));
  const rejected = conditions.find(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True')?.message;
  // Source: DeploymentProgressing, ProgressDeadlineExceeded.
  const stuck = conditions.find(({ type, status: is }) => type === 'Progressing' && is === 'False');
  return {
    desired,
    ready,
    available,
    failures: failed.flatMap(({ message }) => message ?? []),
    ...(rejected && { rejected }),
    ...(stuck && { stuck: stuck.message ?? stuck.reason ?? 'it does not say why' }),
  };
}

/** All of its pods are there, in their newest form; another workload may end. */
export function isComplete(workload: KubernetesObject): boolean {
  const { desired, available } = workloadFacts(workload);
  const { observedGeneration } = (workload.status ?? {}) as { readonly observedGeneration?: number };
  const isSeen = (observedGeneration ?? 0) >= (workload.metadata.generation ?? 0);
  return isSeen && desired > 0 && available >= desired;
}
