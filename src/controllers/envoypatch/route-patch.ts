import { envoyPatchAffected, keyOf } from '../../gateway-api/index.ts';
import type { FilterContent, ReferenceLookup, RouteSettings, RuleOwner } from '../../graph/engine/index.ts';
import { defined, parseRouteKey } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { madeOnce, routePoliciesOf, routePolicyOf, routeTargetKey, targetNote } from '../policies/index.ts';
import { isUsable, partsOf } from './content.ts';
import { type Policy, patchedRoutes } from './targets.ts';

const { edge } = patchedRoutes;

/** The policy that patches a rule: its own, or else the one of its route. One that says it badly patches nothing, and keeps its place. */
export const policyOfRule = ({ route, rule }: Pick<RuleOwner, 'route' | 'rule'>, lookup: ReferenceLookup) =>
  (rule === undefined ? undefined : routePolicyOf(patchedRoutes, route, rule, lookup)) ??
  routePolicyOf(patchedRoutes, route, undefined, lookup);

/** Patches of routes and rules. */
export const routePatches: RouteSettings = {
  edge,
  settingOf(owner, { action }, lookup) {
    if (action.kind !== 'forward' || lookup.edges.of(edge).count(owner.route) === 0) return undefined;
    const policy = policyOfRule(owner, lookup);
    const patch = policy && routePatchOf(policy, owner.route);
    return patch && { fields: { patch } };
  },
  noteAt: (route, rules, lookup) => noteOf(route, [undefined, ...rules], lookup),
};

/** What the status of a target says of its patches. */
export function noteOf(target: string, sections: readonly (string | undefined)[], lookup: ReferenceLookup) {
  const policies = sections.flatMap((section) => routePoliciesOf(patchedRoutes, target, section, lookup));
  return targetNote(envoyPatchAffected, 'EnvoyPatch', policies);
}

/** What a policy has for a route, by its routeKey; undefined: nothing, or something is wrong with the policy. */
function routePatchOf(policy: Policy, route: string): ir.RoutePatch | undefined {
  const { routeAction } = policy.spec;
  if (routeAction === undefined || !isUsable(policy)) return undefined;
  return madeOnce(policy, `patch of ${route}`, [], () => ({ id: ir.patchId(keyOf(policy), route), routeAction }));
}

/** What a policy has for the ports of a Gateway, by its key. */
export function listenerPatchOf(policy: Policy, gateway: string): ir.ListenerPatch | undefined {
  const { listener, connectionManager } = policy.spec;
  if (partsOf(policy, 'gateway').length === 0 || !isUsable(policy)) return undefined;
  const id = ir.patchId(keyOf(policy), routeTargetKey('Gateway', gateway));
  return madeOnce(policy, `patch of Gateway ${gateway}`, [], () => ({
    id,
    ...defined({ listener, connectionManager }),
  }));
}

/** What proxies may reject of a policy at a Gateway or a route, by `KIND NAMESPACE/NAME`; `where`: the same in words, with the rules. */
export function contentsAt(policy: Policy, target: string, where = target): FilterContent[] {
  const { kind, key }: { readonly kind: string; readonly key: string } = parseRouteKey(target);
  const patches = kind === 'Gateway' ? gatewayPatches(policy, key) : [routePatchOf(policy, target) ?? []].flat();
  return patches.map((patch) => ({
    kind: 'patch',
    key: patch.id,
    name: `the patch of ${where}`,
    digest: () => ir.digestOf(patch),
  }));
}

/** Ports of HTTP/3 have less of it. */
function gatewayPatches(policy: Policy, gateway: string): readonly ir.ListenerPatch[] {
  const patch = listenerPatchOf(policy, gateway);
  if (!patch) return [];
  const { id, connectionManager } = patch;
  return connectionManager && patch.listener ? [patch, { id, connectionManager }] : [patch];
}
