import { parseObjectKey } from '../../gateway-api/index.ts';
import type { GraphView, ListenerView } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import { gatewayFinder, otherName, parseRule, type Subject, unknownRoute } from '../../traffic/index.ts';

export const groupings = ['route', 'backend', 'listener', 'gateway', 'node'] as const;
/** Picks have an answer of their own. */
export type Grouping = (typeof groupings)[number] | 'pick';

/** What counts are shown of. Without a kind, `reason` says what they are of. */
export interface TrafficItem {
  readonly kind: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly rule: number | null;
  readonly reason: string | null;
  /** `NAMESPACE/NAME`; null where there may be several. */
  readonly gateway: string | null;
  /** What became of requests to a pool, and the `IP:PORT` that answered; empty: none. */
  readonly pick?: { readonly outcome: string; readonly endpoint: string };
}

/** Which subjects are asked for, and what is counted together. */
export interface Selection {
  readonly by: Grouping;
  readonly byRule: boolean;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** `NAMESPACE/NAME` */
  readonly gateway?: string | undefined;
}

/** The item of a subject as text, equal for subjects that are counted together; undefined for those that are not asked for. */
export function grouper(graph: GraphView, selection: Selection): (subject: Subject) => string | undefined {
  const { namespace, name, gateway } = selection;
  const gatewayOf = gatewayFinder(graph);
  const itemOf = itemFinder(graph, selection, gatewayOf);
  return (subject) => {
    if (gateway !== undefined && gatewayOf(subject) !== gateway) return undefined;
    const item = itemOf(subject);
    if (namespace !== undefined && item.namespace !== namespace) return undefined;
    if (name !== undefined && item.name !== name) return undefined;
    const { pick } = item;
    const named = [item.kind, item.namespace, item.name, item.rule, item.reason, item.gateway];
    return JSON.stringify(pick === undefined ? named : [...named, pick.outcome, pick.endpoint]);
  };
}

/** What `grouper` made a text of. */
export function parseItem(text: string): TrafficItem {
  const [kind, namespace, name, rule, reason, gateway, outcome, endpoint] = JSON.parse(text);
  const item = { kind, namespace, name, rule, reason, gateway };
  return outcome === undefined ? item : { ...item, pick: { outcome, endpoint } };
}

const without = (reason: string, gateway: string | null): TrafficItem => {
  return { kind: null, namespace: null, name: null, rule: null, reason, gateway };
};

type ItemOf = (subject: Subject) => TrafficItem;

function itemFinder(graph: GraphView, { by, byRule }: Selection, gatewayOf: (subject: Subject) => string): ItemOf {
  switch (by) {
    case 'route':
      return (subject) => routeItem(subject, byRule, gatewayOf(subject));
    case 'backend':
      return backendItem;
    case 'pick':
      return pickItem;
    case 'listener':
      return listenerFinder(graph, gatewayOf);
    case 'gateway':
      return (subject) => {
        const gateway = gatewayOf(subject);
        return { kind: 'Gateway', ...parseObjectKey(gateway), rule: null, reason: null, gateway };
      };
    case 'node':
      return ({ fleet, route: name }) => {
        return { kind: 'Node', namespace: '', name, rule: null, reason: null, gateway: fleet };
      };
  }
}

function routeItem({ route }: Subject, byRule: boolean, gateway: string): TrafficItem {
  if (route === '') return without('no_route', gateway);
  if (route === unknownRoute) return without('unknown_route', gateway);
  const parsed = route === otherName ? undefined : parseRule(route);
  if (parsed === undefined) return without('other', gateway);
  const { kind, namespace, name, rule } = parsed;
  return { kind, namespace, name, rule: byRule ? rule : null, reason: null, gateway };
}

const kindsOfSources = {
  import: 'ServiceImport',
  pods: 'XBackend',
  external: 'XBackend',
  pool: 'InferencePool',
  servers: 'InferencePool',
  dynamic: 'DynamicBackend',
  ai: 'AIService',
  login: 'AccessPolicy',
  credential: 'HTTPFilter',
  module: 'ExtensionPolicy',
} as const;

/** Kind, namespace and `SERVICE:PORT` of a backend's key; undefined for what is no backend of its own. */
export function backendOf(
  key: string,
): { readonly kind: string; readonly namespace: string; readonly name: string } | undefined {
  if (key === '') return undefined;
  try {
    const { namespace, service, port, source } = ir.parseBackendKey(key);
    if (source === 'ai-route') return undefined;
    return { kind: source === undefined ? 'Service' : kindsOfSources[source], namespace, name: `${service}:${port}` };
  } catch {
    return undefined;
  }
}

function backendItem({ route, backend }: Subject): TrafficItem {
  const found = backendOf(backend);
  if (found !== undefined) return { ...found, rule: null, reason: null, gateway: null };
  return without(route === otherName ? 'other' : backend === '' ? 'no_backend' : 'ai_rule', null);
}

/** Outcome and server stand for listener and route. */
function pickItem({ listener: outcome, route: endpoint, backend }: Subject): TrafficItem {
  const pool = backendOf(backend);
  if (pool === undefined) return without('other', null);
  const { service: name } = ir.parseBackendKey(backend);
  return { ...pool, name, rule: null, reason: null, gateway: null, pick: { outcome, endpoint } };
}

function listenerFinder(graph: GraphView, gatewayOf: (subject: Subject) => string): ItemOf {
  const views = [...graph.listeners()];
  const items = new Map<string, TrafficItem>();
  return (subject) => {
    const key = `${subject.fleet} ${subject.listener}`;
    const known = items.get(key) ?? listenerItem(subject, listenersOf(views, subject), gatewayOf(subject));
    items.set(key, known);
    return known;
  };
}

/** The Gateway's listeners that a table of the proxies is of; several of HTTP share that of their port. */
export function listenersOf(
  views: Iterable<ListenerView>,
  { fleet, listener }: Pick<Subject, 'fleet' | 'listener'>,
): ListenerView[] {
  const { port } = ir.parsePortKey(listener);
  const place = ir.placeOfTable(listener);
  const ofPort = [...views].filter((view) => view.fleet === fleet && view.port === port);
  if (place === '') return ofPort;
  return ofPort.filter(({ section, name }) => place === section || place === name || place.endsWith(`/${section}`));
}

function listenerItem(
  { listener }: Subject,
  [first, ...others]: readonly ListenerView[],
  gateway: string,
): TrafficItem {
  if (listener === '') return without('other', gateway);
  if (first === undefined || others.length > 0) {
    return { kind: 'Listener', namespace: '', name: `${gateway} ${listener}`, rule: null, reason: null, gateway };
  }
  return { kind: 'Listener', namespace: '', name: first.name, rule: null, reason: null, gateway };
}
