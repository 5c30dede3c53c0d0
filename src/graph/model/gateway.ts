import type { DataPlaneSpec, GatewayStatus, ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type { ConditionFault } from './condition.ts';
import type { Guard } from './guard.ts';
import type { ResolvedListener, ResolvedListenerSet } from './listener.ts';
import type { ResolvedPolicies } from './listener-settings.ts';
import type { ListenerTraffic } from './listener-traffic.ts';
import type { Observed } from './observed.ts';
import type { PolicyOutcome } from './policy-outcome.ts';
import type { FullListener } from './raw-paths.ts';
import type { TargetNotes } from './target-note.ts';

/** How the proxies of a Gateway are to be run, as its class and it itself ask for. */
export interface ResolvedParameters {
  /** Undefined when it cannot be known: then nothing may be made of a guess, and what runs stays as it is. */
  readonly spec?: DataPlaneSpec;
  /** Source: GatewayReasonInvalidParameters. */
  readonly fault?: ConditionFault;
  /** Keys of the DataPlanes that are named, whether there are such or not. */
  readonly dataPlanes: readonly string[];
}

/** What a Gateway's proxies show to backends with TLS. */
export type ClientCertificate = { readonly secret: ir.Secret } | { readonly fault: ConditionFault };

/** What the infrastructure reports about a data plane. */
export interface DataPlaneState {
  readonly addresses: GatewayStatus['addresses'];
  /** ClusterIPs of the Service, whatever its type; undefined without a cluster. */
  readonly clusterAddresses?: GatewayStatus['addresses'];
  /** From where `addresses` are reached; GatewayStatusAddress.routability. Undefined: as the platform has it. */
  readonly routability?: string;
  /** Why addresses that are asked for cannot be asked of the platform. */
  readonly addressProblem?: string;
  /** Says what is missing when there is no address, or nothing behind it. */
  readonly message: string;
  /** Ports at which a proxy takes connections to the addresses, such as `TCP/80`; undefined: not known, as without a cluster. */
  readonly open?: readonly string[] | undefined;
  /** What keeps the proxies from their desired state, whether they serve or not. */
  readonly problem?: string | undefined;
}

/** Where proxies bind a port: those of a Gateway, or, where several share them, of the oldest one. */
export type Binder = (gateway: ObjectByKind['Gateway'], port: number) => ir.BindAddress;

/** One Gateway of a class of ours, resolved but for its routes and for whatever else its proxies serve. */
export interface LoneGateway {
  readonly key: string;
  readonly object: ObjectByKind['Gateway'];
  /** Key of the proxies that serve it, see ResolvedFleet. */
  readonly fleet: string;
  /** How its proxies are to be run. */
  readonly parameters: ResolvedParameters;
  /** Its own. */
  readonly listeners: readonly ResolvedListener[];
  /** The ListenerSets that name it, by key, in the order of their precedence. */
  readonly sets: ReadonlyMap<string, ResolvedListenerSet>;
  readonly policies: ResolvedPolicies;
  /** What its proxies show to backends with TLS, if anything. */
  readonly clientCertificate?: ClientCertificate;
  /** What requests to its listeners must show, by ResolvedListener.id, of those that demand something. */
  readonly guards: ReadonlyMap<string, Guard>;
  /** What requests to its listeners count against, by ResolvedListener.id, of those that have limits; the outermost level first. */
  readonly limits: ReadonlyMap<string, readonly ir.ListenerLimits[]>;
  /** What the statuses of it, its ListenerSets and their listeners say of policies, by noteKey. */
  readonly notes: TargetNotes;
  /** What policies say of CORS for routes that say nothing, by ResolvedListener.id. */
  readonly cors: ReadonlyMap<string, ir.Cors>;
  /** How policies treat the requests to listeners, by ResolvedListener.id. */
  readonly traffic: ReadonlyMap<string, ListenerTraffic>;
}

/** One Gateway of a class of ours, all resolved but its routes. */
export interface ResolvedGateway extends Omit<LoneGateway, 'policies'> {
  /** Keys of the backends that its listeners themselves use. */
  readonly backends: readonly string[];
  /** What became of the ListenerPolicies that are for its listeners, by key. */
  readonly policies: ReadonlyMap<string, PolicyOutcome>;
  /** By ResolvedListener.place, of those that serve HTTP. */
  readonly observed: ReadonlyMap<string, Observed>;
  /** Those of its listeners whose tables have no place for one more demand that makes requests wait. */
  readonly full: readonly FullListener[];
}

/** Its own listeners and those of its ListenerSets, in the order of their precedence. */
export const allListeners = ({ listeners, sets }: Pick<LoneGateway, 'listeners' | 'sets'>): ResolvedListener[] => [
  ...listeners,
  ...[...sets.values()].flatMap((set) => set.listeners),
];

/** Key of the ir.Secret that a Gateway's proxies show to backends: part of the identity of its backends. */
export const clientCertificateKey = ({
  clientCertificate,
}: {
  readonly clientCertificate?: ClientCertificate | undefined;
}): string | undefined =>
  clientCertificate && 'secret' in clientCertificate ? clientCertificate.secret.key : undefined;
