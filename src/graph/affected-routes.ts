import { addAll } from './add-all.ts';
import { attachmentKey } from './attach.ts';
import type { Attachments } from './attachments.ts';
import { allListeners, clientCertificateKey, type SettledGateway } from './gateway.ts';
import type { SettledListener } from './listener.ts';
import { terminatesTls } from './listener-spec.ts';
import { portsOf, widerThan } from './port-hosts.ts';
import type { References } from './references.ts';

interface Change {
  readonly key: string;
  readonly before: SettledGateway | undefined;
  readonly after: SettledGateway | undefined;
}

/**
 * The routes (by routeKey) that may attach differently or have other backends since a Gateway was settled anew: those that
 * name what declares a changed listener, and those on wider listeners of its port, which it takes hosts from. Routes of
 * other ListenerSets are not looked at.
 */
export function affectedRoutes(change: Change, references: References, attachments: Attachments): Set<string> {
  const { key, before, after } = change;
  if (!before && !after) return new Set();
  if (!before || !after || clientCertificateKey(before) !== clientCertificateKey(after)) {
    return routesOfAll(change, references);
  }
  const changed = [...changedListeners(before, after), ...changedListeners(after, before)];
  const affected = new Set<string>();
  for (const { owner } of changed) {
    const parent = `${owner.namespace}/${owner.name}`;
    const { routesByGateway, routesByListenerSet } = references;
    addAll(affected, (owner.kind === 'Gateway' ? routesByGateway : routesByListenerSet).sourcesOf(parent));
  }
  for (const set of changedSets(before, after)) addAll(affected, references.routesByListenerSet.sourcesOf(set));
  for (const listener of losersOf(changed, before, after)) {
    addAll(affected, attachments.routesOf(attachmentKey(key, listener.id)));
  }
  return affected;
}

function routesOfAll({ key, before, after }: Change, references: References): Set<string> {
  const affected = new Set(references.routesByGateway.sourcesOf(key));
  for (const set of [...(before?.sets.keys() ?? []), ...(after?.sets.keys() ?? [])]) {
    addAll(affected, references.routesByListenerSet.sourcesOf(set));
  }
  return affected;
}

/** Listeners of one settling that the other has not, or has otherwise. */
function changedListeners(one: SettledGateway, other: SettledGateway): SettledListener[] {
  const signatures = new Map(allListeners(other).map((listener) => [listener.id, signatureOf(listener)]));
  return allListeners(one).filter((listener) => signatures.get(listener.id) !== signatureOf(listener));
}

/** Changes when routes may attach differently, and only then. */
const signatureOf = ({ port, protocol, hostname, table, supportedKinds, spec }: SettledListener): string =>
  JSON.stringify([
    [port, protocol, hostname, table, supportedKinds],
    [terminatesTls(spec), spec.allowedRoutes?.namespaces],
  ]);

/** ListenerSets that came, went, or are refused for another reason, which routes that name them tell. */
function changedSets(before: SettledGateway, after: SettledGateway): string[] {
  const keys = new Set([...before.sets.keys(), ...after.sets.keys()]);
  return [...keys].filter((key) => {
    const [one, other] = [before.sets.get(key), after.sets.get(key)];
    return !one || !other || one.fault?.message !== other.fault?.message;
  });
}

/** Listeners that gain or lose hosts because a more specific listener of their port came, went or moved. */
function losersOf(
  changed: readonly SettledListener[],
  before: SettledGateway,
  after: SettledGateway,
): Set<SettledListener> {
  if (changed.length === 0) return new Set();
  const ports = [before, after].flatMap((gateway) => portsOf(allListeners(gateway).filter(({ serves }) => serves)));
  return new Set(
    changed.flatMap((listener) =>
      ports
        .filter((owners) => owners.get(listener.hostname)?.id === listener.id)
        .flatMap((owners) => widerThan(owners, listener.hostname)),
    ),
  );
}
