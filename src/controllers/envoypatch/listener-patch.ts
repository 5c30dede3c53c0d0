import type { ReferenceLookup, TrafficSettings } from '../../graph/engine/index.ts';
import { ownerTarget, routePolicyOf, routeTargetKey } from '../policies/index.ts';
import { holdingsAt } from './explain.ts';
import { listenerPatchOf, noteOf } from './route-patch.ts';
import { type Policy, patchedRoutes } from './targets.ts';

/** Patches of Gateways, and how readers see these and those of routes. */
export const listenerPatches: TrafficSettings = {
  edge: patchedRoutes.edge,
  targetOf: ownerTarget,
  noteAt: (owner, listener, lookup) =>
    listener === undefined ? noteOf(ownerTarget(owner), [undefined], lookup) : undefined,
  trafficOf({ key }, lookup) {
    const policy = policyOfGateway(key, lookup);
    const patch = policy && listenerPatchOf(policy, key);
    return () => patch && { patch };
  },
  holdingsAt,
};

const policyOfGateway = (gateway: string, lookup: ReferenceLookup): Policy | undefined =>
  routePolicyOf(patchedRoutes, routeTargetKey('Gateway', gateway), undefined, lookup);
