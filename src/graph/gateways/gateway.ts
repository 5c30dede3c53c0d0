import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import { resolveClientCertificate } from '../certificates/index.ts';
import type {
  Edges,
  GatewaySettings,
  LimitSettings,
  ListenerSettings,
  Store,
  TrafficSettings,
} from '../engine/index.ts';
import {
  allListeners,
  clientCertificateKey,
  joinTraffic,
  type ListenerOwner,
  type ListenerTraffic,
  type LoneGateway,
  noteKey,
  type ResolvedListener,
  type TargetNote,
  type TargetNotes,
} from '../model/index.ts';
import { resolveListeners } from './gateway-listeners.ts';
import { noPolicies } from './listener-settings.ts';
import { resolveParameters } from './parameters.ts';

/** What a Gateway is resolved with beside the objects themselves. */
export interface GatewayDeps {
  readonly store: Store;
  readonly edges: Edges;
  /** Of the kind of policies that says how clients are treated, if there is one. */
  readonly listenerSettings: ListenerSettings | undefined;
  /** Of the kind of policies that guards listeners, if there is one. */
  readonly guards?: GatewaySettings | undefined;
  /** Of the kinds of policies that treat requests to listeners. */
  readonly traffic?: readonly TrafficSettings[];
  /** Of the kind of policies that limits requests, if there is one. */
  readonly limits?: LimitSettings | undefined;
  /** Key of the proxies that all Gateways of its class share; undefined where each has its own. */
  readonly sharedFleet: string | undefined;
}

/** `gatewayClass`: its own, which is ours; `sets`: the ListenerSets that name it. */
export function resolveGateway(
  object: ObjectByKind['Gateway'],
  gatewayClass: ObjectByKind['GatewayClass'],
  sets: readonly ObjectByKind['ListenerSet'][],
  { store, edges, listenerSettings, guards, limits, traffic = [], sharedFleet }: GatewayDeps,
): LoneGateway {
  const shared = sharedFleet !== undefined;
  const resolved = resolveListeners({ gateway: object, shared }, sets, store);
  const clientCertificate = resolveClientCertificate(object, store);
  const key = keyOf(object);
  const certificate = clientCertificateKey({ clientCertificate });
  const guardOf = guards?.guardsOf({ key, clientCertificate: certificate }, { store, edges });
  const corsOf = guards?.corsOf(key, { store, edges });
  const limitsOf = limits?.limitsOf(key, { store, edges });
  const listeners = allListeners({ listeners: resolved.own, sets: resolved.sets });
  return {
    key,
    object,
    fleet: sharedFleet ?? key,
    parameters: resolveParameters(object, { gatewayClass, shared }, store),
    listeners: resolved.own,
    sets: resolved.sets,
    policies: listenerSettings?.resolve({ gateway: object, sets: resolved.sets, edges, store }) ?? noPolicies,
    ...(clientCertificate && { clientCertificate }),
    cors: new Map(
      listeners.flatMap((listener) => {
        const cors = corsOf?.(listener);
        return cors ? [[listener.id, cors] as const] : [];
      }),
    ),
    traffic: trafficOf(
      listeners,
      traffic.map((settings) => settings.trafficOf({ key, clientCertificate: certificate }, { store, edges })),
    ),
    notes: notesOf(object, resolved, [guards, limits, ...traffic], { store, edges }),
    guards: new Map(
      listeners.flatMap((listener) => {
        const guard = guardOf?.(listener);
        return guard ? [[listener.id, guard] as const] : [];
      }),
    ),
    limits: new Map(
      listeners.flatMap((listener) => {
        const levels = limitsOf?.(listener) ?? [];
        return levels.length > 0 ? [[listener.id, levels] as const] : [];
      }),
    ),
  };
}

/** By ResolvedListener.id, of those of which some kind says something. */
const trafficOf = (
  listeners: readonly ResolvedListener[],
  kinds: readonly ReturnType<TrafficSettings['trafficOf']>[],
): ReadonlyMap<string, ListenerTraffic> =>
  new Map(
    listeners.flatMap((listener) => {
      const found = joinTraffic(kinds.flatMap((of) => of(listener) ?? []));
      return found ? [[listener.id, found] as const] : [];
    }),
  );

/** Of the objects that declare listeners, and of each listener. */
function notesOf(
  gateway: ObjectByKind['Gateway'],
  { own, sets }: Pick<ReturnType<typeof resolveListeners>, 'own' | 'sets'>,
  kinds: readonly (Pick<GatewaySettings, 'noteAt'> | undefined)[],
  lookup: Pick<GatewayDeps, 'store' | 'edges'>,
): TargetNotes {
  const notes = new Map<string, readonly TargetNote[]>();
  const add = (owner: ListenerOwner, listener?: string) => {
    const found = kinds.flatMap((each) => each?.noteAt(owner, listener, lookup) ?? []);
    if (found.length > 0) notes.set(noteKey(owner, listener), found);
  };
  for (const { kind, metadata } of [gateway, ...[...sets.values()].map(({ object }) => object)])
    add({ kind, namespace: metadata.namespace ?? '', name: metadata.name });
  for (const { owner, name } of allListeners({ listeners: own, sets })) add(owner, name);
  return notes;
}
