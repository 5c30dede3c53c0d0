import { type PatchPart, patchFaults } from '../../envoy-patch/index.ts';
import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import type { BackendSetting, FilterContent, Lookup } from '../../graph/engine/index.ts';
import { type ConditionFault, defined, parseBackendKey } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { backendTargets, winnerOf } from '../policies/index.ts';

export type Policy = ObjectByKind['EnvoyPatch'];

/** What EnvoyPatches are for. */
export const patchedTargets = backendTargets('EnvoyPatch');

const parts = ['cluster', 'httpProtocolOptions'] as const satisfies readonly PatchPart[];

/** What is wrong with what a policy says. Nothing of it is in force then. */
export function contentFaults({ spec }: Policy): ConditionFault[] {
  return parts.flatMap((part) => {
    const patch = spec[part];
    if (patch === undefined) return [];
    return patchFaults(part, patch).map((message) => ({ reason: 'Invalid', message }));
  });
}

const usable = new WeakMap<Policy, boolean>();

/** Objects do not change, so it is found out once for each. */
function isUsable(policy: Policy): boolean {
  const known = usable.get(policy) ?? contentFaults(policy).length === 0;
  usable.set(policy, known);
  return known;
}

/** Whether patches are for a backend, by its key. UDP has no connections. */
export const isPatched = (backend: string): boolean => parseBackendKey(backend).transport === 'TCP';

/** What the policy that a target has says of a backend. */
export function patchSetting(target: string, { key }: ir.Backend, lookup: Lookup): BackendSetting | undefined {
  const winner = isPatched(key) ? winnerOf(patchedTargets, target, lookup) : undefined;
  return winner && isUsable(winner) ? { fields: { patch: patchOf(winner, key) } } : undefined;
}

const patchOf = (policy: Policy, backend: string): ir.BackendPatch => {
  const { cluster, httpProtocolOptions } = policy.spec;
  return { id: ir.patchId(keyOf(policy), backend), ...defined({ cluster, httpProtocolOptions }) };
};

/** What proxies may reject, if the policy is in force at the backend. */
export function patchContent(policy: Policy, { key, patch }: ir.Backend): FilterContent[] {
  if (!patch || ir.policyOfPatch(patch.id) !== keyOf(policy)) return [];
  return [{ kind: 'patch', key: patch.id, name: `the patch of backend ${key}`, digest: () => ir.digestOf(patch) }];
}
