import type { StatusContext } from '../../graph/engine/index.ts';
import type { ConditionFault } from '../../graph/model/index.ts';
import { alikePartsOf } from './alike-keys.ts';
import { accessPolicyEdges, mostAlike } from './edges.ts';
import { namespaceOf, type Policy } from './parts/index.ts';

/** Whether so many policies have a part alike that one above their routes would do. It says no number: else each further policy changed all statuses. */
export function alikeRemark(policy: Policy, { edges }: Pick<StatusContext, 'edges'>): ConditionFault | undefined {
  const alike = edges.of(accessPolicyEdges.alike);
  const parts = alikePartsOf(policy).flatMap(({ part, key }) => (alike.count(key) > mostAlike ? part : []));
  if (parts.length === 0) return undefined;
  const claims = parts.includes('jwt') ? '; rules of routes can ask for its claims as NAMESPACE/POLICY/PROVIDER' : '';
  return {
    reason: 'RepeatedOnRoutes',
    message: `more than ${mostAlike} policies of routes in namespace ${namespaceOf(policy)} have the same ${parts.join(', ')}, and proxies keep it for each route: demand it once at the Gateway, the ListenerSet or the listener of the routes${claims}`,
  };
}
