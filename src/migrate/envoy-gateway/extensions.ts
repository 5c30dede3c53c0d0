import { type Output, objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import type { Fields } from '../kit/values.ts';
import { closedSpec } from './access.ts';
import type { Moving } from './moving.ts';
import { noteOf, type Policy, type PolicyKind, uppersOf } from './policy.ts';
import { envoyExtensionPolicy } from './tables/extension.ts';
import { refsOf } from './targets.ts';
import { requestTargets } from './traffic.ts';

/** Extensions may be what keeps requests out. */
export const envoyExtensionPolicies: PolicyKind = { table: envoyExtensionPolicy, protects: true };

/** Source: ExtensionPolicy. */
const mostExtensions = 2;

/** EnvoyExtensionPolicies as ExtensionPolicies, one for each script, processor and module. */
export function convertExtensions(policies: readonly Policy[], moving: Moving, output: Output): readonly Converted[] {
  return policies.map((policy) => {
    const { source, id, draft, notes } = policy;
    const targetRefs = refsOf(policy.targets, moving, requestTargets);
    if (targetRefs.length === 0)
      return {
        id,
        outcome: 'left',
        notes: [noteOf('no-effect', 'targetRefs', 'nothing that it is for is moved'), ...notes],
      };
    if (!policy.isMerged && uppersOf(policy, policies, moving).length > 0)
      notes.push(
        noteOf('differs', 'targetRefs', 'extensions of upper levels act too, and are not replaced by this policy'),
      );
    const file = `${source.namespace}/envoyextensionpolicy-${source.name}.yaml`;
    const list = (draft.get('Extensions.list') as readonly Fields[] | undefined) ?? [];
    const isTooMany = list.length > mostExtensions;
    if (isTooMany)
      notes.push(
        noteOf('cannot', '', `${mostExtensions} extensions act on a request at most, and these are ${list.length}`),
      );
    const isClosed = policy.isClosed || (isTooMany && !policy.isForced);
    if (isClosed)
      output.add(
        file,
        objectOf('gatewright.dev/v1alpha1', 'AccessPolicy', source.namespace, `${source.name}-extensions`, {
          targetRefs,
          ...closedSpec,
        }),
        notes,
      );
    else
      for (const [index, spec] of list.entries())
        output.add(
          file,
          objectOf(
            'gatewright.dev/v1alpha1',
            'ExtensionPolicy',
            source.namespace,
            index === 0 ? source.name : `${source.name}-${index + 1}`,
            {
              targetRefs,
              ...spec,
            },
          ),
          index === 0 ? notes : [],
        );
    return { id, outcome: isClosed ? 'closed' : list.length > 0 ? 'converted' : 'left', notes };
  });
}
