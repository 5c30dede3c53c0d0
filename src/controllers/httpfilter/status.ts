import type { Condition } from '../../gateway-api/index.ts';
import type { ReferenceLookup } from '../../graph/engine/index.ts';
import { type HttpFilterObject, resolveMember } from '../../graph/filters/index.ts';
import { conditionOf } from '../../graph/model/index.ts';

/** Whether rules can have the filter, whatever rules name it. */
export function httpFilterConditions(
  filter: HttpFilterObject,
  { store }: Pick<ReferenceLookup, 'store'>,
): readonly Condition[] {
  const generation = filter.metadata.generation ?? 0;
  const result = resolveMember(filter, store);
  return [
    conditionOf('Accepted', generation, 'acceptFault' in result ? result.acceptFault : undefined),
    conditionOf('ResolvedRefs', generation, 'referenceFault' in result ? result.referenceFault : undefined),
  ];
}
