import type { GraphView } from '../graph/index.ts';
import type { EnvoyResource } from '../translate/index.ts';
import type { NodesView } from '../xds/index.ts';
import type { InfrastructureView } from './infrastructure/infrastructure-record.ts';
import type { Warning } from './summary/warnings.ts';

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

/** Whether a kind can be read where the objects come from, and why not. */
export interface Availability {
  readonly available: boolean;
  readonly message: string;
}

/** What can be done with managed resources now. */
export interface ManagedResources {
  readonly readable: boolean;
  /** Names of kinds that may be written. */
  readonly writableKinds: ReadonlySet<string>;
  /** What to do about kinds that may not; empty where nothing can be done. */
  readonly writeAdvice: string;
}

/** Parts beside the gateway that may be there or not, and whether they can be used now. */
export interface Services {
  readonly chatbot: boolean;
  readonly metrics: boolean;
  /** Whether settings can be made through the API. */
  readonly settings: boolean;
}

/** One control plane as this one sees it. */
export interface ReplicaRecord {
  readonly identity: string;
  /** `HOST:PORT` of its admin API; null for this one. */
  readonly address: string | null;
  /** `lost`: away since a moment; `unreachable`: for longer; `left`: stopped in good order. */
  readonly state: 'self' | 'connected' | 'lost' | 'unreachable' | 'left';
  readonly snapshotVersion: string | null;
  /** How many data planes it lists. */
  readonly nodeCount: number;
  /** When something was heard of it last; null for this one. */
  readonly lastHeardAt: Date | null;
}

/** The control planes that act as one. */
export interface ReplicasView {
  /** This one first. */
  list(): readonly ReplicaRecord[];
  warnings(): readonly Warning[];
  /** What another control plane answers to a path of Layout 1, for what only that one knows. Rejects with the reason, for people. */
  ask(identity: string, path: string, timeoutMs: number): Promise<unknown>;
}

/** All that the admin API looks at. It changes none of it, and keeps none of it. */
export interface AdminSources {
  readonly graph: GraphView;
  /** Of all replicas. */
  readonly nodes: NodesView;
  readonly replicas: ReplicasView;
  /** What the proxies of a Gateway (`NAMESPACE/NAME`) are sent. */
  readonly resourcesOf: (gateway: string) => Iterable<EnvoyResource>;
  readonly leadership: () => Leadership;
  /** `spec.controllerName` of our GatewayClasses. */
  readonly controllerName: string;
  readonly now: () => Date;
  /** Of the control plane. */
  readonly version: string;
  /** By the name of the kind. */
  readonly availability: (kind: string) => Availability;
  /** Namespaces that should be read and cannot. */
  readonly unreadable: () => readonly Warning[];
  readonly managed: () => ManagedResources;
  readonly services: () => Promise<Services>;
  /** Whether what AI traffic used is kept. */
  readonly reportsAi: boolean;
  /** What runs for the Gateways. */
  readonly infrastructure: InfrastructureView;
  /** How long the agent of a data plane may take to answer. */
  readonly agentTimeoutMs: number;
}
