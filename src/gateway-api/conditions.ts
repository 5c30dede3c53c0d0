import { type KindNameOfForm, kinds, kindsOfForm, type RouteKindName } from './kinds.ts';

/** Our own type of condition: which policies of access act on an object. Source: GEP-713, status of policy targets. */
export const accessPolicyAffected = 'gatewright.dev/AccessPolicyAffected';

/** The same of policies that say what happens to requests. */
export const trafficPolicyAffected = 'gatewright.dev/TrafficPolicyAffected';

/** The same of policies that limit requests. */
export const rateLimitPolicyAffected = 'gatewright.dev/RateLimitPolicyAffected';

/** The same of policies that have code of users see requests. */
export const extensionPolicyAffected = 'gatewright.dev/ExtensionPolicyAffected';

/** The same of patches of Envoy's configuration. */
export const envoyPatchAffected = 'gatewright.dev/EnvoyPatchAffected';

/** One desired entry of `status.conditions`; the writer adds `lastTransitionTime`. Source: GEP-1364. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  /** Says what a person should change, when something is wrong. */
  readonly message: string;
  readonly observedGeneration: number;
}

export interface ParentReference {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly sectionName?: string;
  readonly port?: number;
}

export interface ListenerStatus {
  readonly name: string;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly attachedRoutes: number;
  readonly conditions: readonly Condition[];
}

export interface GatewayStatusAddress {
  readonly type: 'IPAddress' | 'Hostname';
  readonly value: string;
  /** Only of Gateways that ask by it; the standard channel has no such field. */
  readonly routability?: string;
}

export interface GatewayStatus {
  readonly kind: 'Gateway';
  readonly addresses: readonly GatewayStatusAddress[];
  readonly conditions: readonly Condition[];
  readonly listeners: readonly ListenerStatus[];
  /** Said by Gateways that ListenerSets name, or that allow them. */
  readonly attachedListenerSets?: number;
}

export interface ListenerSetStatus {
  readonly kind: 'ListenerSet';
  readonly conditions: readonly Condition[];
  readonly listeners: readonly ListenerStatus[];
}

export interface GatewayClassStatus {
  readonly kind: 'GatewayClass';
  readonly conditions: readonly Condition[];
  /** Sorted by name. */
  readonly supportedFeatures: readonly { readonly name: string }[];
}

export interface RouteParentStatus {
  readonly parentRef: ParentReference;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

/** Only our own entries of `status.parents`; others' are left alone by the writer. */
export interface RouteStatus {
  readonly kind: RouteKindName;
  readonly parents: readonly RouteParentStatus[];
}

/** Only our own entries of `status.parents`, which are the Gateways that use the object. */
export interface UsedStatus {
  readonly kind: KindNameOfForm<'gateways'>;
  readonly parents: readonly RouteParentStatus[];
}

export interface PolicyAncestorStatus {
  readonly ancestorRef: ParentReference;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

/** The kinds whose status is a list of ancestors: the Gateways that they affect. */
export type PolicyKindName = KindNameOfForm<'ancestors'>;

/** Those of them that say by targetRefs what they are for. */
export type TargetingKindName = {
  readonly [K in PolicyKindName]: (typeof kinds)[K]['targetRefs'] extends true ? K : never;
}[PolicyKindName];

/** By name. */
export const targetingKinds: readonly TargetingKindName[] = kindsOfForm('ancestors')
  .filter((kind): kind is TargetingKindName => kinds[kind].targetRefs)
  .sort();

export const isPolicyKind = (kind: string): kind is PolicyKindName => kind in maxAncestors;

/** The longest lists that the API server takes. Source: PolicyStatus.ancestors, BackendStatus.ancestors. */
export const maxAncestors = Object.fromEntries(
  Object.values(kinds).flatMap((kind) => ('maxAncestors' in kind ? [[kind.name, kind.maxAncestors]] : [])),
) as Readonly<Record<PolicyKindName, number>>;

/** Only our own entries of `status.ancestors`; others' are left alone by the writer. */
export interface PolicyStatus {
  readonly kind: PolicyKindName;
  readonly ancestors: readonly PolicyAncestorStatus[];
}

export interface DataPlaneStatus {
  readonly kind: 'DataPlane';
  /** Who says this: a DataPlane names no controller, and two of them must not write in turns. */
  readonly controllerName: string;
  /** How many Gateways use it, by their own reference or their class's. */
  readonly attachedGateways: number;
  readonly conditions: readonly Condition[];
}

/** The kinds whose status is a list of conditions; of a DataPlane's, there is more. GatewayClasses name the controller that says it. */
export type ConditionsKindName = Exclude<KindNameOfForm<'conditions'>, 'GatewayClass'>;

/** The kinds whose status is conditions alone. */
export type PlainKindName = Exclude<ConditionsKindName, 'DataPlane'>;

/** Of kinds that are conditions alone. */
export interface PlainStatus<K extends PlainKindName = PlainKindName> {
  readonly kind: K;
  /** Who says this: they name no controller, and two of them must not write in turns. */
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

/** The desired status of an object. */
export type Status =
  | { readonly [K in PlainKindName]: PlainStatus<K> }[PlainKindName]
  | DataPlaneStatus
  | GatewayClassStatus
  | GatewayStatus
  | ListenerSetStatus
  | RouteStatus
  | UsedStatus
  | PolicyStatus;
