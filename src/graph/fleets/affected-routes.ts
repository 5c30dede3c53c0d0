import { addAll, type Edges } from '../engine/index.ts';
import { type Attachments, parentEdges } from '../gateways/index.ts';
import {
  allListeners,
  attachmentKey,
  clientCertificateKey,
  type ResolvedFleet,
  type ResolvedGateway,
  type ResolvedListener,
  terminatesTls,
  widerThan,
} from '../model/index.ts';

interface Change {
  readonly before: ResolvedFleet | undefined;
  readonly after: ResolvedFleet | undefined;
}

/**
 * The routes (by routeKey) that may attach differently or have other backends since Gateways were resolved again: those that
 * name what declares a changed listener, and those on wider listeners of its port, which it takes hosts from. Routes of
 * other ListenerSets, and of other Gateways of the same proxies, are not looked at.
 */
export function affectedRoutes(change: Change, edges: Edges, attachments: Attachments): Set<string> {
  const affected = new Set<string>();
  const changed: ResolvedListener[] = [];
  const keys = new Set([change.before, change.after].flatMap((fleet) => [...(fleet?.members.keys() ?? [])]));
  for (const key of keys) {
    const [before, after] = [change.before?.members.get(key), change.after?.members.get(key)];
    if (before === after) continue;
    if (!before || !after || rulesKey(before) !== rulesKey(after)) {
      addAll(affected, routesOfAll(key, [before, after], edges));
    }
    const different = before && after ? changedOf(before, after) : allListeners((before ?? after) as ResolvedGateway);
    changed.push(...different);
    for (const { owner } of different) {
      const parent = `${owner.namespace}/${owner.name}`;
      const edge = owner.kind === 'Gateway' ? parentEdges.gateway : parentEdges.listenerSet;
      addAll(affected, edges.of(edge).sourcesOf(parent));
    }
    for (const set of before && after ? changedSets(before, after) : [])
      addAll(affected, edges.of(parentEdges.listenerSet).sourcesOf(set));
  }
  for (const { gateway, id } of losersOf(changed, change)) {
    addAll(affected, attachments.routesOf(attachmentKey(gateway, id)));
  }
  return affected;
}

/** Changes when the rules of all routes may read differently. */
const rulesKey = (gateway: ResolvedGateway): string =>
  JSON.stringify([clientCertificateKey(gateway), ...gateway.cors, ...trafficOfRules(gateway)]);

const trafficOfRules = ({ traffic }: ResolvedGateway) =>
  [...traffic].flatMap(([listener, { rules }]) => (rules ? [{ listener, rules }] : []));

function routesOfAll(key: string, resolved: readonly (ResolvedGateway | undefined)[], edges: Edges): Set<string> {
  const affected = new Set(edges.of(parentEdges.gateway).sourcesOf(key));
  for (const set of resolved.flatMap((gateway) => [...(gateway?.sets.keys() ?? [])])) {
    addAll(affected, edges.of(parentEdges.listenerSet).sourcesOf(set));
  }
  return affected;
}

const changedOf = (before: ResolvedGateway, after: ResolvedGateway): ResolvedListener[] => [
  ...changedListeners(before, after),
  ...changedListeners(after, before),
];

/** Listeners of one resolving that the other has not, or has otherwise. */
function changedListeners(one: ResolvedGateway, other: ResolvedGateway): ResolvedListener[] {
  const signatures = new Map(allListeners(other).map((listener) => [listener.id, signatureOf(listener)]));
  return allListeners(one).filter((listener) => signatures.get(listener.id) !== signatureOf(listener));
}

/** Changes when routes may attach differently, or their policies read differently, and only then. */
const signatureOf = ({ port, protocol, hostname, table, supportedKinds, rawPaths, spec }: ResolvedListener): string =>
  JSON.stringify([
    [port, protocol, hostname, table, supportedKinds, rawPaths !== undefined],
    [terminatesTls(spec), spec.allowedRoutes?.namespaces],
  ]);

/** ListenerSets that came, went, or are rejected for another reason. The statuses of routes that name them report it. */
function changedSets(before: ResolvedGateway, after: ResolvedGateway): string[] {
  const keys = new Set([...before.sets.keys(), ...after.sets.keys()]);
  return [...keys].filter((key) => {
    const [one, other] = [before.sets.get(key), after.sets.get(key)];
    return !one || !other || one.fault?.message !== other.fault?.message;
  });
}

/** Listeners that gain or lose hosts because a more specific listener of their port came, went or moved. */
function losersOf(changed: readonly ResolvedListener[], { before, after }: Change): Set<ResolvedListener> {
  if (changed.length === 0) return new Set();
  const ports = [...(before?.ports ?? []), ...(after?.ports ?? [])];
  return new Set(
    changed.flatMap((listener) =>
      ports
        .filter((owners) => owners.get(listener.hostname)?.place === listener.place)
        .flatMap((owners) => widerThan(owners, listener.hostname)),
    ),
  );
}
