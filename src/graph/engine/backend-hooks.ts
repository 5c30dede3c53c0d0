import type { KindName, ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type {
  BackendContent,
  BackendKeyParts,
  BackendSession,
  BackendUser,
  ConditionFault,
  ResolvedBackend,
} from '../model/index.ts';
import type { Edges } from './edges.ts';
import type { AnyEdge } from './kind-module.ts';
import type { Store } from './store.ts';

/** What policies are found by. */
export interface Lookup {
  readonly store: Store;
  readonly edges: Edges;
}

/** What a policy says of one backend. */
export interface BackendSetting {
  readonly fields?: Partial<ir.Backend>;
  /** There is no way to the backend that the policy allows: it gets no endpoints. */
  readonly isClosed?: true;
}

/**
 * How policies of a kind act on backends: the graph applies those of all kinds in the order of the registry, and marks their statuses when
 * the use of a backend changes.
 */
export interface BackendSettings {
  /** From the policies to owners of backends, see ownerOfBackend. */
  readonly edge: AnyEdge;
  /** Their statuses say what proxies reject of the backends. */
  readonly reportsRejections: boolean;
  /** `backend`: as its Service, or whatever it is of, describes it. */
  readonly settingOf: (owner: string, backend: ir.Backend, lookup: Lookup) => BackendSetting | undefined;
  /** What is said of sessions, if anything. It is in the routes that lead to the backend, which the kind marks itself. */
  readonly sessionOf?: (owner: string, lookup: Lookup) => BackendSession | undefined;
}

/** How routes get to objects of a kind: it is what their backendRefs name. Keys and their parts: see backendKey. */
export interface BackendProvider<K extends KindName = never> {
  /** Where a reference leads that ReferenceGrants allow. */
  readonly resolve: (
    ref: { readonly namespace: string; readonly name: string; readonly port: number | undefined },
    user: BackendUser,
    store: Store,
  ) => ResolvedBackend;
  /** Keys of all backends that the object has by itself, whatever their variant. */
  readonly keysOf: (object: ObjectByKind[K]) => readonly string[];
  /** What a key stands for now; undefined when its object or port is gone. */
  readonly contentOf: (key: string, parts: BackendKeyParts, lookup: Lookup) => BackendContent | undefined;
  /** All references of a rule to objects of the kind are one backend, which is the rule's own; other kinds cannot be beside them. */
  readonly isOnePerRule?: true;
  /** The object's own status reports which Gateways use it. */
  readonly reportsUse?: true;
  /** Why nothing is sent to the host that the object names. */
  readonly hostFaultOf?: (parts: BackendKeyParts, store: Store) => ConditionFault | undefined;
  /** What the object itself says of sessions. */
  readonly sessionOf?: (parts: BackendKeyParts, store: Store) => BackendSession | undefined;
}
