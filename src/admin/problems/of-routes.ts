import { keyOf, type RouteParentStatus } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { nearestKey } from '../../std/index.ts';
import { listRoutes, parentsOf, type RouteObject } from '../routes/route-record.ts';
import type { AdminSources } from '../sources.ts';
import { causeOf, conditionTexts, isFailing } from './of-conditions.ts';
import type { Finding } from './problem.ts';
import { answersNothing, idleRules, type LiveBackends, livePorts } from './unanswered-rules.ts';

type Sources = Pick<AdminSources, 'graph' | 'controllerName' | 'reads'>;

/** Undefined for each route that was looked at, so that callers may pause. */
export function* ofRoutes(sources: Sources): Generator<Finding | undefined> {
  if (sources.graph.snapshot() === undefined) return;
  const backends = { graph: sources.graph, ports: livePorts(sources.graph) };
  for (const route of listRoutes(sources.graph)) {
    const parents = parentsOf(route, sources);
    const faulty = parents.filter(({ conditions }) => conditionTexts(conditions) !== '');
    if (faulty.length > 0) yield ofParents(route, faulty, backends);
    else if (isOurs(route, sources)) yield ofIdleRules(route, backends);
    // Cheap where all is well: each parent has an entry.
    const isMissing = parents.length < (route.spec.parentRefs?.length ?? 0) || parents.length === 0;
    const message = isMissing ? parentFault(route, sources) : undefined;
    if (message !== undefined) yield { code: 'parent_unknown', object: objectOf(route), message };
    yield undefined;
  }
}

const objectOf = ({ kind, metadata: { namespace = '', name } }: RouteObject): Finding['object'] => ({
  kind,
  namespace,
  name,
});

function ofParents(route: RouteObject, faulty: readonly RouteParentStatus[], backends: LiveBackends): Finding {
  const conditions = faulty.flatMap((parent) => parent.conditions);
  const found = { object: objectOf(route), message: textOf(route, faulty), ...causeOf(conditions) };
  if (isFailing(conditions)) return { code: 'route_not_accepted', ...found };
  if (!answersNothing(route, backends)) return { code: 'route_degraded', ...found };
  // One with the same message may be served in part.
  return { code: 'route_degraded', ...found, severity: 'failing', likeness: `nothing ${found.message}` };
}

/** What other controllers serve they may answer in another way. */
const isOurs = (route: RouteObject, { graph }: Pick<Sources, 'graph'>): boolean => {
  const status = graph.statusOf(route.kind, keyOf(route));
  return status !== undefined && 'parents' in status && status.parents.length > 0;
};

function ofIdleRules(route: RouteObject, backends: LiveBackends): Finding | undefined {
  const found = idleRulesFinding(route);
  if (found === undefined) return undefined;
  const severity = answersNothing(route, backends) ? 'failing' : 'warning';
  return { ...found, severity, likeness: `${severity} ${found.message}` };
}

/** Valid, so that no condition says it. */
export function idleRulesFinding(route: RouteObject): Finding | undefined {
  const idle = idleRules(route);
  if (idle.length === 0) return undefined;
  const message = `${idle.join('; ')}; its requests are answered with an error`;
  return { code: 'rule_without_backend', object: objectOf(route), message };
}

/** What is the same at every parent is said once; else with the parent. */
function textOf(route: RouteObject, faulty: readonly RouteParentStatus[]): string {
  const texts = faulty.map((parent) => conditionTexts(parent.conditions));
  const [first = ''] = texts;
  if (texts.every((text) => text === first)) return first;
  return texts.map((text, index) => `at ${parentName(route, faulty[index])}: ${text}`).join('; ');
}

const parentName = ({ metadata }: RouteObject, parent: RouteParentStatus | undefined): string =>
  `${parent?.parentRef.namespace ?? metadata.namespace}/${parent?.parentRef.name}`;

/** What parents are looked up in. `reads`: the namespaces that are read, undefined for all; what is in others is not known to be missing. */
export interface ParentLookup {
  readonly graph: Pick<GraphView, 'find' | 'list'>;
  readonly reads: readonly string[] | undefined;
}

/** Which parents of the route do not exist, with the nearest that do; undefined when all exist, of any controller. */
export function parentFault(route: RouteObject, { graph, reads }: ParentLookup): string | undefined {
  const refs = route.spec.parentRefs ?? [];
  if (refs.length === 0) return 'it has no parentRefs, so no Gateway serves it';
  const missing = refs.flatMap(({ kind = 'Gateway', namespace = route.metadata.namespace ?? '', name }) => {
    if (kind !== 'Gateway' && kind !== 'ListenerSet') return [];
    const key = `${namespace}/${name}`;
    const isMissing = (reads?.includes(namespace) ?? true) && graph.find(kind, key) === undefined;
    return isMissing ? [missingText(kind, key, graph)] : [];
  });
  return missing.length === 0 ? undefined : missing.join('; ');
}

function missingText(kind: 'Gateway' | 'ListenerSet', key: string, graph: Pick<GraphView, 'list'>): string {
  const near = nearestKey(key, [...graph.list(kind)].map(keyOf));
  return `there is no ${kind} ${key}${near === undefined ? '' : `; did you mean ${near}?`}`;
}
