import {
  type Condition,
  isPending,
  isProblem,
  isRemark,
  isRouteKind,
  type KindName,
  keyOf,
  kinds,
  parseObjectKey,
  type Status,
  statusParts,
} from '../../gateway-api/index.ts';
import type { ProblemCode } from '../../problems/index.ts';
import { closedHosts } from '../access/closed-hosts.ts';
import type { AdminSources } from '../sources.ts';
import { causeOf, conditionTexts, isFailing } from './of-conditions.ts';
import type { Finding } from './problem.ts';

/** What is wrong with an object by its status; undefined when nothing is, or when time alone makes it good. */
export function statusFinding(kind: KindName, key: string, status: Status): Finding | undefined {
  const parts = statusParts(status)
    .map(({ of, name, conditions }) => ({ of, name, conditions: conditions.filter(isLasting) }))
    .filter(({ conditions }) => conditions.length > 0);
  if (parts.length === 0) return undefined;
  const conditions = parts.flatMap((part) => part.conditions);
  const texts = parts.map(
    ({ of, name, conditions: own }) => `${of === 'listener' ? `listener ${name}: ` : ''}${conditionTexts(own)}`,
  );
  return {
    code: codeOf(kind, conditions),
    object: { kind, ...parseObjectKey(key) },
    message: [...new Set(texts)].join('; '),
    ...causeOf(conditions),
  };
}

const isLasting = (condition: Condition): boolean => isProblem(condition) && !isPending(condition);

function codeOf(kind: KindName, conditions: readonly Condition[]): ProblemCode {
  if (isRouteKind(kind)) return isFailing(conditions) ? 'route_not_accepted' : 'route_degraded';
  if (kind === 'Gateway') return 'gateway_failed';
  return conditions.every(isRemark) ? 'object_degraded' : 'object_not_accepted';
}

const others = (Object.keys(kinds) as KindName[]).filter(
  (kind) => kinds[kind].statusForm !== 'none' && kind !== 'Gateway' && !isRouteKind(kind),
);

/** Classes, sets of listeners, policies and our own kinds. */
export function* ofObjects({ graph }: Pick<AdminSources, 'graph'>): Generator<Finding> {
  for (const kind of others) {
    for (const object of graph.list(kind)) {
      const key = keyOf(object);
      const status = graph.statusOf(kind, key);
      const found = status && statusFinding(kind, key, status);
      if (found) yield kind === 'AccessPolicy' ? withClosedHosts(found, key, graph) : found;
    }
  }
}

/** What is missing of a policy of access closes what it is for. */
function withClosedHosts(found: Finding, key: string, graph: AdminSources['graph']): Finding {
  const hosts = closedHosts(graph, key) ?? 0;
  if (hosts === 0) return found;
  return {
    ...found,
    message: `${found.message}; ${hosts} ${hosts === 1 ? 'host answers' : 'hosts answer'} 500 because of it`,
  };
}
