import type { Kind, KindName } from '../gateway-api/index.ts';
import type { GraphView } from '../graph/index.ts';
import type { PasswordChecks } from '../passwords/index.ts';
import type { FileProblem } from '../sources/index.ts';
import type { TrafficStore } from '../traffic/index.ts';
import type { EnvoyResource } from '../translate/index.ts';
import type { NodesView, Trier } from '../xds/index.ts';
import type { Capabilities } from './dashboard/record.ts';
import type { EventLog } from './events/event-log.ts';
import type { InfrastructureView } from './infrastructure/infrastructure-record.ts';
import type { IngressesView } from './ingresses/served-ingress.ts';
import type { ApiDescription } from './openapi/api-description.ts';
import type { ReplicaFeed } from './replicas/feed.ts';
import type { ReplicaRecord } from './replicas/record.ts';
import type { SnapshotHistory } from './snapshots/snapshot-history.ts';
import type { Warning } from './summary/warning.ts';

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

/** One control plane as this one sees it: as `ReplicaRecord` has it. */
export interface ReplicaView extends Omit<ReplicaRecord, 'lastHeardAt'> {
  readonly lastHeardAt: Date | null;
}

/** Where objects come from: `directory` is the path of theirs. */
export type Origin =
  | { readonly mode: 'cluster'; readonly directory: null }
  | { readonly mode: 'directory'; readonly directory: string | null };

/** The control planes that act as one. */
export interface ReplicasView {
  /** This one first. */
  list(): readonly ReplicaView[];
  /** When others went that are not back, by identity, for a day. */
  gone(): ReadonlyMap<string, Date>;
  warnings(): readonly Warning[];
  /** What another control plane answers to a path of Layout 1, for what only that one knows. Rejects with the reason, for people. */
  ask(identity: string, path: string, timeoutMs: number): Promise<unknown>;
  /** The same while it comes in. */
  read(identity: string, path: string, timeoutMs: number): AsyncIterable<Buffer>;
}

/** All that the admin API looks at. It changes none of it, and keeps none of it. */
export interface AdminSources {
  readonly readiness: () => Readiness;
  /** What happened lately. */
  /** What was published lately. */
  readonly history: SnapshotHistory;
  readonly events: EventLog;
  /** What other control planes follow. */
  readonly feed: ReplicaFeed;
  readonly description: ApiDescription;
  readonly graph: GraphView;
  /** Of all replicas. */
  readonly nodes: NodesView;
  readonly replicas: ReplicasView;
  /** What the proxies of a Gateway (`NAMESPACE/NAME`) are sent. */
  readonly resourcesOf: (gateway: string) => Iterable<EnvoyResource>;
  /** Proxies of a Gateway that are connected to this replica, for trials of what they are not sent. */
  readonly triersOf: (gateway: string) => readonly Trier[];
  readonly leadership: () => Leadership;
  /** `spec.controllerName` of our GatewayClasses. */
  readonly controllerName: string;
  readonly now: () => Date;
  /** Checks passwords that are shown in questions. */
  readonly passwords: PasswordChecks;
  /** Of the control plane. */
  readonly version: string;
  /** By the name of the kind. */
  readonly availability: (kind: string) => Availability;
  /** Namespaces that should be read and cannot. */
  readonly unreadable: () => readonly Warning[];
  /** Of servers that keep something, such as shared rate limits. */
  readonly stores: () => readonly Warning[];
  /** Namespaces that are read; undefined: all. */
  readonly reads: readonly string[] | undefined;
  /** What became of Ingresses. */
  readonly ingresses: IngressesView;
  /** What is wrong with the files of the directory; empty in a cluster. */
  readonly files: () => readonly FileProblem[];
  /** What passed through the proxies of this replica. */
  readonly traffic: TrafficStore;
  /** Whether failed requests may be shown: not where the network reaches the API and it takes requests without a token. */
  readonly showsRequests: boolean;
  /** Changes with each change of what is visible of these kinds: objects and desired statuses. */
  readonly tagOf: (...kinds: readonly KindName[]) => string;
  readonly managed: () => ManagedResources;
  /** Where objects come from. */
  readonly origin: Origin;
  /** What objects of a kind may hold; undefined where no definition says so. */
  readonly schemaOf: (kind: Kind) => Promise<object | undefined>;
  /** What of the add-ons works now. */
  readonly addonCapabilities: () => Promise<Partial<Capabilities>>;
  /** What runs for the Gateways. */
  readonly infrastructure: InfrastructureView;
  /** How long the agent of a data plane may take to answer. */
  readonly agentTimeoutMs: number;
  /** The web page: whether there is one, and whether it offers to change things. */
  readonly page: { readonly isServed: boolean; readonly mayWrite: boolean };
}
