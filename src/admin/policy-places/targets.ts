import { objectKey } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { partsOfTarget } from '../access/target-name.ts';
import { HttpError } from '../http/index.ts';
import { findRouteKind } from '../routes/route-kinds.ts';
import { findRoute } from '../routes/route-record.ts';
import { type HoldingsAt, type Placed, placedAtOwner, placedAtRoute } from './places.ts';

type PolicyKind = 'TrafficPolicy' | 'RateLimitPolicy' | 'ExtensionPolicy' | 'EnvoyPatch';

const owners = ['Gateway', 'ListenerSet'] as const;

/** At `KIND/NAMESPACE/NAME`, or at all that policies of the kinds are for. Throws a 404 where there is no such target. */
export const placedAt = <H>(
  graph: GraphView,
  kinds: readonly PolicyKind[],
  target: string | undefined,
  holdingsAt: HoldingsAt<H>,
): Placed<H>[] =>
  (target === undefined ? allTargets(graph, kinds) : [target]).flatMap((each) =>
    placedAtTarget(graph, each, holdingsAt),
  );

/** Gateways, ListenerSets and routes that are there, each once. */
function allTargets(graph: GraphView, policyKinds: readonly PolicyKind[]): string[] {
  const policies = policyKinds.flatMap((kind) => [...graph.list(kind)]);
  const targets = policies.flatMap(({ metadata, spec }) =>
    spec.targetRefs.flatMap((ref) => {
      const kind = owners.find((each) => each === ref.kind) ?? findRouteKind(ref.kind);
      const found = kind && graph.find(kind, objectKey(metadata.namespace ?? '', ref.name));
      return found ? `${kind}/${metadata.namespace}/${ref.name}` : [];
    }),
  );
  return [...new Set(targets)].sort();
}

function placedAtTarget<H>(graph: GraphView, target: string, holdingsAt: HoldingsAt<H>): Placed<H>[] {
  const [word, namespace, name] = partsOfTarget(target);
  const key = objectKey(namespace, name);
  const owner = owners.find((each) => each.toLowerCase() === word.toLowerCase());
  if (owner) {
    const object = graph.find(owner, key);
    if (!object) throw new HttpError('resource_not_found', `there is no ${owner} ${key}`);
    return placedAtOwner(graph, object, holdingsAt);
  }
  const kind = findRouteKind(word);
  const route = kind && findRoute(graph, kind, key);
  if (!route) throw new HttpError('route_not_found', `there is no ${target}: write KIND/NAMESPACE/NAME`);
  return placedAtRoute(graph, route, holdingsAt);
}
