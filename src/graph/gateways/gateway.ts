import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import { resolveClientCertificate } from '../certificates/index.ts';
import type { Edges, ListenerSettings, Store } from '../engine/index.ts';
import type { LoneGateway } from '../model/index.ts';
import { resolveListeners } from './gateway-listeners.ts';
import { noPolicies } from './listener-settings.ts';
import { resolveParameters } from './parameters.ts';

/** What a Gateway is resolved with beside the objects themselves. */
export interface GatewayDeps {
  readonly store: Store;
  readonly edges: Edges;
  /** Of the kind of policies that says how clients are treated, if there is one. */
  readonly listenerSettings: ListenerSettings | undefined;
  /** Key of the proxies that all Gateways of its class share; undefined where each has its own. */
  readonly sharedFleet: string | undefined;
}

/** `gatewayClass`: its own, which is ours; `sets`: the ListenerSets that name it. */
export function resolveGateway(
  object: ObjectByKind['Gateway'],
  gatewayClass: ObjectByKind['GatewayClass'],
  sets: readonly ObjectByKind['ListenerSet'][],
  { store, edges, listenerSettings, sharedFleet }: GatewayDeps,
): LoneGateway {
  const shared = sharedFleet !== undefined;
  const resolved = resolveListeners({ gateway: object, shared }, sets, store);
  const clientCertificate = resolveClientCertificate(object, store);
  return {
    key: keyOf(object),
    object,
    fleet: sharedFleet ?? keyOf(object),
    parameters: resolveParameters(object, { gatewayClass, shared }, store),
    listeners: resolved.own,
    sets: resolved.sets,
    policies: listenerSettings?.resolve({ gateway: object, sets: resolved.sets, edges, store }) ?? noPolicies,
    ...(clientCertificate && { clientCertificate }),
  };
}
