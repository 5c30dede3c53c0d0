import { keyOf, parseObjectKey } from '../../gateway-api/index.ts';
import { type AccessHolding, type GraphView, gatewayOfSet } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import { gatewayPlaces, shownHolding, targetOf } from './entries.ts';
import { nameOf } from './judged.ts';
import type { AccessEntry } from './record.ts';

/** What declares listeners. */
type OwnerKind = 'Gateway' | 'ListenerSet';

/** A listener of a Gateway of ours. */
interface Guarded {
  readonly kind: OwnerKind;
  /** Key of what declares it. */
  readonly owner: string;
  readonly section: string;
  readonly protocol: string;
  readonly hostname: string;
}

/**
 * Every part of every policy that requests to the listeners of a Gateway or a ListenerSet meet, whatever their route. What all listeners of a level
 * have in common is one entry; what differs between them, such as a part that one of them overrides, has one for each.
 */
export function listenerEntries(graph: GraphView, kind: OwnerKind, key: string): AccessEntry[] {
  const set = kind === 'ListenerSet' ? graph.find('ListenerSet', key) : undefined;
  const gateway = kind === 'Gateway' ? key : set && gatewayOfSet(set);
  if (gateway === undefined || graph.statusOf('Gateway', gateway) === undefined) return [];
  const asked = { kind, owner: key };
  const listeners = listenersOf(graph, gateway).filter((each) => kind === 'Gateway' || each.owner === key);
  const groups = new Map<string, { readonly holding: AccessHolding; readonly at: Guarded[] }>();
  for (const listener of listeners)
    for (const holding of holdingsAt(graph, gateway, listener)) {
      const name = JSON.stringify([scopeOf(holding, listener, asked), holding]);
      const group = groups.get(name) ?? { holding, at: [] };
      group.at.push(listener);
      groups.set(name, group);
    }
  return [...groups.values()].flatMap(({ holding, at }) => {
    const [first] = at as [Guarded, ...Guarded[]];
    const scope = scopeOf(holding, first, asked);
    const all = listeners.filter((each) => scopeOf(holding, each, asked) === scope);
    const entry = (target: AccessEntry['target'], those: readonly Guarded[]): AccessEntry => {
      const hosts = [...new Set(those.map(({ hostname }) => hostname))].sort();
      return {
        ...shownHolding(holding),
        gateway: nameOf(gateway),
        target,
        rule: null,
        ruleName: null,
        hosts,
        hostCount: hosts.length,
      };
    };
    if (holding.level === 'listener' || at.length < all.length)
      return at.map((each) => entry(targetOf(each.kind, each.owner, each.section), [each]));
    const whole = holding.level === 'gateway' ? asked : first;
    const [place] = whole.kind === 'Gateway' ? gatewayPlaces(graph, gateway) : [];
    const found = entry(targetOf(whole.kind, whole.owner, undefined), at);
    return [place ? { ...found, hostCount: place.hostCount } : found];
  });
}

/** Listeners that share what a level demands have the same. */
function scopeOf({ level }: AccessHolding, { kind, owner, section }: Guarded, asked: object): string {
  if (level === 'gateway') return JSON.stringify(asked);
  return JSON.stringify(level === 'listenerSet' ? [kind, owner] : [kind, owner, section]);
}

/** Of connections nothing but the address is looked at, and of datagrams nothing at all. */
function holdingsAt(graph: GraphView, gateway: string, { kind, owner, section, protocol }: Guarded): AccessHolding[] {
  const listener = { owner: { kind, ...parseObjectKey(owner) }, name: section };
  const isMet = (part: ir.AccessPart): boolean =>
    protocol === 'HTTP' || protocol === 'HTTPS' || (protocol !== 'UDP' && part === 'clientIPs');
  return graph.accessAt({ gateway, listener }).filter(({ part }) => isMet(part));
}

/** Those that the Gateway has, its own and those of its ListenerSets. */
function listenersOf(graph: GraphView, gateway: string): Guarded[] {
  const object = graph.find('Gateway', gateway);
  if (!object) return [];
  const sets = [...graph.list('ListenerSet')].filter((set) => gatewayOfSet(set) === gateway);
  const { namespace, name } = parseObjectKey(gateway);
  const served = new Set(
    [...graph.listeners()].flatMap((view) =>
      view.gateway.namespace === namespace && view.gateway.name === name ? view.name : [],
    ),
  );
  return [object, ...sets].flatMap(({ kind, metadata, spec }) => {
    const owner = keyOf({ metadata });
    const path = [namespace, name, ...(kind === 'ListenerSet' ? [metadata.namespace, metadata.name] : [])].join('.');
    return (spec.listeners ?? []).flatMap(({ name: section, protocol, hostname = '*' }) =>
      served.has(`${path}.${section}`) ? { kind, owner, section, protocol, hostname } : [],
    );
  });
}
