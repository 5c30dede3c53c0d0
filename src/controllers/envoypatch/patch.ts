import { keyOf } from '../../gateway-api/index.ts';
import type { BackendSetting, FilterContent, Lookup } from '../../graph/engine/index.ts';
import { defined, parseBackendKey } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { winnerOf } from '../policies/index.ts';
import { isUsable } from './content.ts';
import { type Policy, patchedBackends } from './targets.ts';

/** Whether patches are for a backend, by its key. UDP has no connections. */
export const isPatched = (backend: string): boolean => parseBackendKey(backend).transport === 'TCP';

/** What the policy that a target has says of a backend. */
export function patchSetting(target: string, { key }: ir.Backend, lookup: Lookup): BackendSetting | undefined {
  const winner = isPatched(key) ? winnerOf(patchedBackends, target, lookup) : undefined;
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
