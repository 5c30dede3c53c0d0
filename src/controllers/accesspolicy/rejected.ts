import { keyOf } from '../../gateway-api/index.ts';
import type { StatusContext } from '../../graph/engine/index.ts';
import type { ConditionFault } from '../../graph/model/index.ts';
import type { Policy } from './parts/index.ts';

/**
 * What all proxies of a Gateway reject of the policy at Gateways, ListenerSets and listeners, where requests meet it in filters of the route table. At routes it is a part of
 * them, and they say so. Of several policies of one target the first one says it, see ir.ListenerAccess.source.
 */
export function rejectedAt(
  policy: Policy,
  { filters }: StatusContext,
): (gateway: string) => ConditionFault | undefined {
  return filters.rejectionOf([
    { kind: 'access', key: keyOf(policy), name: 'what is demanded of requests to its targets', closedWith: 500 },
  ]);
}
