import { maxAncestors, type WrittenStatus } from '../gateway-api/index.ts';
import { type LiveAncestorStatus, mergeAncestors } from './merge-ancestors.ts';
import { type LiveDataPlaneStatus, mergeDataPlaneStatus } from './merge-data-plane.ts';
import {
  type LiveGatewayStatus,
  type LiveListenerSetStatus,
  mergeGatewayStatus,
  mergeListenerSetStatus,
} from './merge-gateway.ts';
import { type LiveGatewayClassStatus, mergeGatewayClassStatus } from './merge-gatewayclass.ts';
import { type LiveIngressStatus, mergeIngressStatus } from './merge-ingress.ts';
import { type LiveParentStatus, mergeParents } from './merge-parents.ts';
import { type LivePlainStatus, mergePlainStatus } from './merge-plain.ts';

export interface MergeOptions {
  /** Ours, as in `spec.controllerName` of a GatewayClass. */
  readonly controllerName: string;
  /** RFC 3339 with seconds, for conditions whose status changes. */
  readonly now: string;
}

/**
 * The fields of `status` to write so that the live status is as desired, with all that is others' kept. Equal
 * to the same fields of the live status when nothing changed in meaning.
 */
export function mergeStatus(live: unknown, desired: WrittenStatus, { controllerName, now }: MergeOptions): object {
  if ('parents' in desired) {
    const { parents = [] } = (live ?? {}) as LiveRouteStatus;
    return { parents: mergeParents(parents, desired.parents, controllerName, now) };
  }
  if ('ancestors' in desired) {
    const { ancestors = [] } = (live ?? {}) as LivePolicyStatus;
    const longest = maxAncestors[desired.kind];
    return { ancestors: mergeAncestors(ancestors, desired.ancestors, controllerName, now, longest) };
  }
  switch (desired.kind) {
    case 'DataPlane':
      return mergeDataPlaneStatus((live ?? {}) as LiveDataPlaneStatus, desired, now);
    case 'GatewayClass':
      return mergeGatewayClassStatus((live ?? {}) as LiveGatewayClassStatus, desired, now);
    case 'Gateway':
      return mergeGatewayStatus((live ?? {}) as LiveGatewayStatus, desired, now);
    case 'ListenerSet':
      return mergeListenerSetStatus((live ?? {}) as LiveListenerSetStatus, desired, now);
    case 'Ingress':
      return mergeIngressStatus((live ?? {}) as LiveIngressStatus, desired);
    default:
      return mergePlainStatus((live ?? {}) as LivePlainStatus, desired, now);
  }
}

interface LiveRouteStatus {
  readonly parents?: readonly LiveParentStatus[];
}

interface LivePolicyStatus {
  readonly ancestors?: readonly LiveAncestorStatus[];
}
