import { type GatewayStatus, keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { type ClientCertificate, settleClientCertificate } from '../certificates/client-certificate.ts';
import type { Edges } from '../engine/edges.ts';
import type { Store } from '../engine/store.ts';
import type { PolicyOutcome } from '../model/policy-outcome.ts';
import { settleListeners } from './gateway-listeners.ts';
import type { SettledListener } from './listener.ts';
import type { SettledListenerSet } from './listener-set.ts';
import { type ListenerSettings, noPolicies, type SettledPolicies } from './listener-settings.ts';
import { type SettledParameters, settleParameters } from './parameters.ts';

/** What the outside tells of a data plane. */
export interface DataPlaneState {
  readonly addresses: GatewayStatus['addresses'];
  /** Says what is missing when there is no address. */
  readonly message: string;
  /** What keeps the proxies from being as they are wished, whether they serve or not. */
  readonly problem?: string | undefined;
}

/** Where proxies bind a port: those of a Gateway, or, where several share them, of the oldest one. */
export type Binder = (gateway: ObjectByKind['Gateway'], port: number) => ir.BindAddress;

/** One Gateway of a class of ours, settled but for its routes and for whatever else its proxies serve. */
export interface LoneGateway {
  readonly key: string;
  readonly object: ObjectByKind['Gateway'];
  /** Key of the proxies that serve it, see SettledFleet. */
  readonly fleet: string;
  /** How its proxies are to be run. */
  readonly parameters: SettledParameters;
  /** Its own. */
  readonly listeners: readonly SettledListener[];
  /** The ListenerSets that name it, by key, in the order of their precedence. */
  readonly sets: ReadonlyMap<string, SettledListenerSet>;
  readonly policies: SettledPolicies;
  /** What its proxies show to backends with TLS, if anything. */
  readonly clientCertificate?: ClientCertificate;
}

/** One Gateway of a class of ours, all settled but its routes. */
export interface SettledGateway extends Omit<LoneGateway, 'policies'> {
  /** Keys of the backends that its listeners themselves use. */
  readonly backends: readonly string[];
  /** What became of the ListenerPolicies that are for its listeners, by key. */
  readonly policies: ReadonlyMap<string, PolicyOutcome>;
}

/** Its own listeners and those of its ListenerSets, in the order of their precedence. */
export const allListeners = ({ listeners, sets }: Pick<LoneGateway, 'listeners' | 'sets'>): SettledListener[] => [
  ...listeners,
  ...[...sets.values()].flatMap((set) => set.listeners),
];

/** What a Gateway is settled with beside the objects themselves. */
export interface GatewaySurroundings {
  readonly store: Store;
  readonly edges: Edges;
  /** Of the kind of policies that says how clients are treated, if there is one. */
  readonly listenerSettings: ListenerSettings | undefined;
  /** Key of the proxies that all Gateways of its class share; undefined where each has its own. */
  readonly sharedFleet: string | undefined;
}

/** `gatewayClass`: its own, which is ours; `sets`: the ListenerSets that name it. */
export function settleGateway(
  object: ObjectByKind['Gateway'],
  gatewayClass: ObjectByKind['GatewayClass'],
  sets: readonly ObjectByKind['ListenerSet'][],
  { store, edges, listenerSettings, sharedFleet }: GatewaySurroundings,
): LoneGateway {
  const shared = sharedFleet !== undefined;
  const settled = settleListeners({ gateway: object, shared }, sets, store);
  const clientCertificate = settleClientCertificate(object, store);
  return {
    key: keyOf(object),
    object,
    fleet: sharedFleet ?? keyOf(object),
    parameters: settleParameters(object, { gatewayClass, shared }, store),
    listeners: settled.own,
    sets: settled.sets,
    policies: listenerSettings?.resolve({ gateway: object, sets: settled.sets, edges, store }) ?? noPolicies,
    ...(clientCertificate && { clientCertificate }),
  };
}

/** Key of the ir.Secret that a Gateway's proxies show to backends: part of what tells its backends from others'. */
export const clientCertificateKey = ({
  clientCertificate,
}: {
  readonly clientCertificate?: ClientCertificate | undefined;
}): string | undefined =>
  clientCertificate && 'secret' in clientCertificate ? clientCertificate.secret.key : undefined;
