import {
  isRouteKind,
  type KindFacts,
  type KindName,
  keyOf,
  kinds,
  type ObjectByKind,
  objectKey,
  statusParts,
} from '../../gateway-api/index.ts';
import { type GraphView, gatewayOfSet } from '../../graph/index.ts';
import { policyEntries } from '../access/entries.ts';
import type { AdminSources } from '../sources.ts';
import { statusOfWorst } from './judge.ts';
import { ids, type TopologyParts } from './parts.ts';
import type { TopologyEdge, TopologyStatus } from './record.ts';

interface TargetRef {
  readonly kind: string;
  readonly name: string;
  readonly sectionName?: string;
}

const policyKinds = (Object.keys(kinds) as KindName[]).filter((kind) => (kinds[kind] as KindFacts).targetRefs);

/** Policies with what they are for; one step each. Nodes of what they are for must be there. */
export function* addPolicies(parts: TopologyParts, { graph }: AdminSources): Generator<undefined, void> {
  const backendsOf = indexBackends(parts);
  for (const kind of policyKinds) {
    for (const policy of graph.list(kind)) {
      const { name, namespace = '' } = policy.metadata;
      const status = graph.statusOf(kind, keyOf(policy));
      const conditions = status ? statusParts(status).flatMap((part) => part.conditions) : [];
      const judgement =
        conditions.length === 0
          ? ({ status: 'unknown', detail: 'no Gateway of ours uses what it is for' } as const)
          : statusOfWorst(conditions);
      const id = ids.policy(kind, keyOf(policy));
      const refs = (policy.spec as { readonly targetRefs?: readonly TargetRef[] }).targetRefs ?? [];
      const detail = [targetText(refs), judgement.detail].filter(Boolean).join('; ');
      parts.nodes.set(id, { id, type: 'policy', kind, label: name, namespace, name, status: judgement.status, detail });
      const targets = new Set(refs.flatMap((ref) => targetsOf(ref, namespace, { graph, backendsOf })));
      const accessOf = policy.kind === 'AccessPolicy' ? accessByTarget(graph, policy) : undefined;
      for (const target of targets) {
        const access = accessOf?.(target);
        const edge = { source: id, target, type: 'apply', weight: null, status: judgement.status } as const;
        parts.edges.push(access ? { ...edge, access, status: statusOfAccess(access) } : edge);
      }
      yield;
    }
  }
}

/** So many targets are named. */
const mostNamed = 3;

function targetText(refs: readonly TargetRef[]): string {
  const names = refs
    .slice(0, mostNamed)
    .map(({ kind, name, sectionName }) => `${kind} ${name}${sectionName === undefined ? '' : `, ${sectionName}`}`);
  const more = refs.length - names.length;
  return names.length === 0 ? '' : `for ${names.join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
}

interface Lookup {
  readonly graph: GraphView;
  readonly backendsOf: (service: string) => readonly string[];
}

function targetsOf({ kind, name, sectionName }: TargetRef, namespace: string, lookup: Lookup): readonly string[] {
  const key = objectKey(namespace, name);
  if (kind === 'ListenerSet' || (kind === 'Gateway' && sectionName !== undefined))
    return listenersOf(lookup.graph, kind, key, sectionName);
  if (kind === 'Gateway') return [ids.gateway(key)];
  return isRouteKind(kind) ? [ids.route({ kind, namespace, name })] : lookup.backendsOf(key);
}

/** Ids of one listener of a Gateway, or of those of a ListenerSet. */
function listenersOf(
  graph: GraphView,
  kind: 'Gateway' | 'ListenerSet',
  key: string,
  section: string | undefined,
): readonly string[] {
  const object = graph.find(kind, key);
  const gateway = object && (object.kind === 'ListenerSet' ? gatewayOfSet(object) : key);
  if (!object || gateway === undefined) return [];
  const path = [gateway, ...(kind === 'ListenerSet' ? [key] : [])].map((each) => each.replace('/', '.')).join('.');
  return object.spec.listeners
    .filter(({ name }) => section === undefined || name === section)
    .map(({ name }) => ids.listener(`${path}.${name}`));
}

type Access = NonNullable<TopologyEdge['access']>;

/** What each part of a policy comes to at a target. A part that rules of a route see in different ways is there for each of them. */
function accessByTarget(graph: GraphView, policy: ObjectByKind['AccessPolicy']): (target: string) => Access {
  const byTarget = new Map<string, Map<string, Access[number]>>();
  for (const { target, part, level, state, by } of policyEntries(graph, policy)) {
    if (part === null || level === null || state === 'unattached') continue;
    const shown = { part, level, state, by };
    const ref = { kind: target.kind, name: target.name, ...(target.rule !== null && { sectionName: target.rule }) };
    for (const id of targetsOf(ref, target.namespace, { graph, backendsOf: () => [] }))
      byTarget.set(id, (byTarget.get(id) ?? new Map()).set(JSON.stringify(shown), shown));
  }
  return (target) => [...(byTarget.get(target)?.values() ?? [])];
}

/** What is closed answers 500; what others took the place of does not apply. */
function statusOfAccess(access: Access): TopologyStatus {
  if (access.length === 0) return 'unknown';
  if (access.some(({ state }) => state === 'closed')) return 'failed';
  return access.some(({ state }) => state === 'conflicted') ? 'degraded' : 'healthy';
}

/** Ids of the ports of a Service. */
function indexBackends({ nodes }: TopologyParts): (service: string) => readonly string[] {
  const backends = [...nodes.values()].filter(({ type }) => type === 'backend');
  const byService = Map.groupBy(backends, ({ namespace, name }) => `${namespace}/${name.replace(/:\d+$/, '')}`);
  return (service) => (byService.get(service) ?? []).map(({ id }) => id);
}
