import type { ListenerStatus, ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type { ConditionFault } from './condition.ts';
import type { ListenerOwner } from './listener-owner.ts';
import type { ListenerSpec } from './listener-spec.ts';
import type { ObjectReference } from './object-reference.ts';

/** One listener of a Gateway, or of a ListenerSet of it, with everything about it resolved but the routes. */
export interface ResolvedListener {
  /** As listenerId makes it. */
  readonly id: string;
  /** Identifies it on the proxies that serve it: its id, behind its Gateway's key where several Gateways share them. */
  readonly place: string;
  /** Key of its Gateway, also for a listener of a ListenerSet. */
  readonly gateway: string;
  /** Unique within its owner. */
  readonly name: string;
  readonly owner: ListenerOwner;
  readonly port: number;
  readonly protocol: string;
  /** Lower case; `*` when the listener has none. */
  readonly hostname: string;
  /** Kinds that may attach; empty when none of the asked kinds is supported. */
  readonly supportedKinds: ListenerStatus['supportedKinds'];
  readonly acceptFault?: ConditionFault;
  readonly conflict?: ConditionFault;
  readonly referenceFault?: ConditionFault;
  /** Without a fault, or with one that leaves the listener open: its port is bound. */
  readonly serves: boolean;
  /** The ir.RouteTable (for HTTP and HTTPS) or ir.StreamTable its routes live in; set when it serves. */
  readonly table?: string;
  /** Keys for ir.ChainTls.certificates. */
  readonly certificates: readonly string[];
  /** For ir.ChainTls.clients. */
  readonly clients?: ir.ChainClients;
  /** For ir.VirtualHost.preRoutingAuth. */
  readonly preRoutingAuth?: readonly ir.ExternalAuth[];
  readonly certificateRefs: readonly ObjectReference[];
  readonly secrets: readonly ir.Secret[];
  /** Other listeners of the port that stand for some of its hosts too, where SNI separates connections. */
  readonly overlaps?: readonly string[];
  /** Key of the ListenerPolicy by which paths reach rules as clients spell them: see RawListener. */
  readonly rawPaths?: string;
  /** Levels at which older policies of other listeners leave no room for its own: see CrowdedListener. */
  readonly crowded?: readonly ir.TableLevel[];
  /** Other Gateways have listeners on its port, so that the patch of its Gateway is not laid over that. */
  readonly unpatched?: true;
  readonly spec: ListenerSpec;
}

/** A ListenerSet that names a Gateway of ours. Source: GEP-1713. */
export interface ResolvedListenerSet {
  readonly key: string;
  readonly object: ObjectByKind['ListenerSet'];
  /** Why the Gateway does not take it, if so; it then has no listeners. */
  readonly fault?: ConditionFault;
  readonly listeners: readonly ResolvedListener[];
}
