import type { Finding, InfrastructureView } from '../../admin/index.ts';
import type { IngressStatus, ObjectKey } from '../../gateway-api/index.ts';
import type { ResolvedFleet, StatusChange } from '../../graph/index.ts';
import type { KubeClient } from '../../kube/index.ts';
import type { ResourceEvent } from '../../sources/index.ts';
import type { BuildIngresses } from './build-ingresses.ts';
import type { UnreadableNamespaces } from './unreadable-namespaces.ts';

/** Runs the proxies of Gateways: as Deployments in a cluster, as processes of ours without one. */
export interface Proxies extends InfrastructureView {
  ensure(fleet: ResolvedFleet): void;
  /** `key`: ResolvedFleet.key */
  remove(key: string): void;
  /** Every Gateway that exists at the start was ensured. */
  complete(): void;
}

/** Takes desired statuses to where users read them. */
export interface StatusSink {
  setDesired(change: StatusChange): void;
  /** An object as the graph now has it: others may have changed its status. */
  observe?(event: ResourceEvent): void;
  /** Where an Ingress is reached; undefined: that is no longer for us to say. */
  setIngress?(ingress: ObjectKey, status: IngressStatus | undefined): void;
}

/** Where keys are kept that the control plane fetches for policies, and what they are not fetched from. */
export type KeysPlace =
  | {
      readonly client: Pick<KubeClient, 'apply' | 'delete' | 'find' | 'create'>;
      readonly namespace: string;
      /** Names of the control plane's own Services. */
      readonly ownHosts: readonly string[];
    }
  /** Without a cluster: files, the second for the key of all logins. */
  | { readonly file: string; readonly loginKey: string };

/** What a control plane writes to. */
export interface Edges {
  /** Takes problems to where users look for them, beside the log and the events of the admin API. */
  readonly onProblem?: (finding: Finding, state: 'raised' | 'ended') => void;
  readonly proxies: Proxies;
  readonly statuses: StatusSink;
  /** Namespaces that should be read and cannot. The control plane keeps it up to date. */
  readonly unreadable?: UnreadableNamespaces;
  /** Where keys are kept that the control plane fetches; without it none are. */
  readonly keys?: KeysPlace;
  /** A directory for modules that were pulled; without it, each start pulls them again. */
  readonly moduleCache?: string | undefined;
  /** Without it no Ingress is served. */
  readonly ingresses?: BuildIngresses | undefined;
}
