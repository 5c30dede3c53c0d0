import {
  type Condition,
  maxAncestors,
  type PolicyKindName,
  type PolicyStatus,
  splitKey,
} from '../gateway-api/index.ts';
import { compareText } from './model/compare-text.ts';

/** The same conditions for each of some Gateways (by key). */
export function ancestorStatus(
  kind: PolicyKindName,
  gateways: Iterable<string>,
  controllerName: string,
  conditions: readonly Condition[],
): PolicyStatus {
  const keys = [...new Set(gateways)].sort(compareText).slice(0, maxAncestors[kind]);
  const ancestors = keys.map((key) => ({
    ancestorRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', ...splitKey(key) },
    controllerName,
    conditions,
  }));
  return { kind, ancestors };
}
