import type { Condition, ListenerStatus } from '../../gateway-api/index.ts';
import {
  type ConditionFault,
  conditionOf,
  noteConditions,
  type ResolvedListener,
  type TargetNote,
} from '../model/index.ts';

/** The conditions of one listener. `programmed` is the fault of the whole Gateway's data plane, if any. */
export function listenerStatus(
  { name, owner, supportedKinds, acceptFault, conflict, referenceFault, overlaps }: ResolvedListener,
  generation: number,
  attachedRoutes: number,
  programmed: ConditionFault | undefined,
  notes: readonly TargetNote[] | undefined,
): ListenerStatus {
  const invalid = acceptFault ?? referenceFault;
  // The two kinds of owner have different lists of reasons. Source: ListenerConditionProgrammed, ListenerEntryConditionProgrammed.
  const reason = conflict && owner.kind === 'ListenerSet' ? conflict.reason : 'Invalid';
  const programFault = invalid ? { reason, message: invalid.message } : programmed;
  const conflicted = conflict
    ? { status: 'True' as const, ...conflict }
    : { status: 'False' as const, reason: 'NoConflicts', message: '' };
  return {
    name,
    supportedKinds,
    attachedRoutes,
    conditions: [
      conditionOf('Accepted', generation, acceptFault),
      { type: 'Conflicted', ...conflicted, observedGeneration: generation },
      conditionOf('ResolvedRefs', generation, referenceFault),
      conditionOf('Programmed', generation, programFault),
      ...(overlaps ? [overlapping(overlaps, generation)] : []),
      ...noteConditions(notes, generation),
    ],
  };
}

/** Clients may reuse a connection for hosts of the other listener, which is answered 421. Source: ListenerConditionOverlappingTLSConfig. */
const overlapping = (others: readonly string[], observedGeneration: number): Condition => ({
  type: 'OverlappingTLSConfig',
  status: 'True',
  reason: 'OverlappingHostnames',
  message: `Hostnames of this listener are also covered by ${others.join(', ')}; requests that reach the wrong one over a reused connection are answered 421`,
  observedGeneration,
});
