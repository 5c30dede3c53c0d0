import type { GraphView } from '../../graph/index.ts';
import type { NodesView } from '../../xds/index.ts';

/** Whether the control plane may be relied on, and why not. */
export interface Readiness {
  readonly ready: boolean;
  readonly reason?: string;
}

/** Who this replica is, and whether it writes to the cluster. */
export interface Leadership {
  readonly identity: string;
  readonly isLeader: boolean;
}

/** All that the admin API looks at. It changes none of it, and keeps none of it. */
export interface World {
  readonly graph: GraphView;
  readonly nodes: NodesView;
  readonly leadership: () => Leadership;
  /** `spec.controllerName` of our GatewayClasses. */
  readonly controllerName: string;
  readonly now: () => Date;
  /** Of the control plane. */
  readonly version: string;
}
