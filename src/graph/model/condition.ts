import type { Condition } from '../../gateway-api/index.ts';

/** Why a check failed: a reason of the Gateway API, and what a person should change. */
export interface ConditionFault {
  readonly reason: string;
  readonly message: string;
}

/** A condition that is True when there is no fault, else False with the fault's reason and message. */
export function conditionOf(
  type: string,
  observedGeneration: number,
  fault: ConditionFault | undefined,
  good?: Partial<ConditionFault>,
): Condition {
  if (fault) return { type, status: 'False', reason: fault.reason, message: fault.message, observedGeneration };
  return { type, status: 'True', reason: good?.reason ?? type, message: good?.message ?? '', observedGeneration };
}

/** Several faults of one kind as one: the first reason, all messages. */
export function combineFaults(faults: readonly ConditionFault[]): ConditionFault | undefined {
  const [first] = faults;
  return first && { reason: first.reason, message: [...new Set(faults.map((fault) => fault.message))].join('; ') };
}
