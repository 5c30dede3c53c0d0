import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import { resolveClientCertificate } from '../certificates/index.ts';
import type { Edges, GatewaySettings, ListenerSettings, Store } from '../engine/index.ts';
import { clientCertificateKey, type LoneGateway } from '../model/index.ts';
import { resolveListeners } from './gateway-listeners.ts';
import { noPolicies } from './listener-settings.ts';
import { resolveParameters } from './parameters.ts';

/** What a Gateway is resolved with beside the objects themselves. */
export interface GatewayDeps {
  readonly store: Store;
  readonly edges: Edges;
  /** Of the kind of policies that says how clients are treated, if there is one. */
  readonly listenerSettings: ListenerSettings | undefined;
  /** Of the kind of policies that guards all requests to Gateways, if there is one. */
  readonly guards?: GatewaySettings | undefined;
  /** Key of the proxies that all Gateways of its class share; undefined where each has its own. */
  readonly sharedFleet: string | undefined;
}

/** `gatewayClass`: its own, which is ours; `sets`: the ListenerSets that name it. */
export function resolveGateway(
  object: ObjectByKind['Gateway'],
  gatewayClass: ObjectByKind['GatewayClass'],
  sets: readonly ObjectByKind['ListenerSet'][],
  { store, edges, listenerSettings, guards, sharedFleet }: GatewayDeps,
): LoneGateway {
  const shared = sharedFleet !== undefined;
  const resolved = resolveListeners({ gateway: object, shared }, sets, store);
  const clientCertificate = resolveClientCertificate(object, store);
  const key = keyOf(object);
  const certificate = clientCertificateKey({ clientCertificate });
  const guard = guards?.guardOf({ key, clientCertificate: certificate }, { store, edges });
  const cors = guards?.corsOf(key, { store, edges });
  return {
    key,
    object,
    fleet: sharedFleet ?? key,
    parameters: resolveParameters(object, { gatewayClass, shared }, store),
    listeners: resolved.own,
    sets: resolved.sets,
    policies: listenerSettings?.resolve({ gateway: object, sets: resolved.sets, edges, store }) ?? noPolicies,
    ...(clientCertificate && { clientCertificate }),
    ...(cors && { cors }),
    // A table that Gateways share would guard the requests of all of them.
    ...(guard && (shared ? { isClosed: true as const } : { guard })),
  };
}
