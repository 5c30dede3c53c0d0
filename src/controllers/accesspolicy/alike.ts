import type { StatusContext } from '../../graph/engine/index.ts';
import type { ConditionFault } from '../../graph/model/index.ts';
import { alikePartsOf } from './alike-keys.ts';
import { mostAlike, routesAlike } from './edges.ts';
import { namespaceOf, type Policy } from './parts/index.ts';

/** Whether so many routes have a part alike that one above them would do. It says no number: else each further policy changed all statuses. */
export function alikeRemark(policy: Policy, context: StatusContext): ConditionFault | undefined {
  const parts = alikePartsOf(policy).flatMap(({ part, key }) =>
    routesAlike(key, context, mostAlike) > mostAlike ? part : [],
  );
  if (parts.length === 0) return undefined;
  const claims = parts.includes('jwt') ? '; rules of routes can ask for its claims as NAMESPACE/POLICY/PROVIDER' : '';
  return {
    reason: 'RepeatedOnRoutes',
    message: `policies of namespace ${namespaceOf(policy)} demand the same ${parts.join(', ')} of more than ${mostAlike} routes and rules, and proxies keep it for each: demand it once at the Gateway, the ListenerSet or the listener of the routes${claims}`,
  };
}
