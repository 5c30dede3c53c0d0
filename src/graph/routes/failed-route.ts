import type { RouteParentStatus } from '../../gateway-api/index.ts';
import { mishapFault } from '../engine/index.ts';
import { conditionOf, type RouteObject } from '../model/index.ts';
import { parentRefOf, parentsOf } from './attach.ts';
import type { ResolvedRoute, RouteDeps } from './route.ts';

/** A route that could not be resolved because of an error of ours: its parents say so, as far as they can be found, and nothing of it is served. */
export function failedRoute(route: RouteObject, deps: RouteDeps): ResolvedRoute {
  return { parents: parentStatuses(route, deps), contributions: [], attachments: [], uses: [] };
}

function parentStatuses(route: RouteObject, deps: RouteDeps): RouteParentStatus[] {
  const { controllerName } = deps;
  const generation = route.metadata.generation ?? 0;
  try {
    return [...parentsOf(route, deps)].map(({ ref }) => ({
      parentRef: parentRefOf(ref),
      controllerName,
      conditions: [conditionOf('Accepted', generation, mishapFault)],
    }));
  } catch {
    // To find them is what went wrong.
    return [];
  }
}
