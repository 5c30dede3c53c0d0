import { conditionReasons, severityOf } from '../../../gateway-api/index.ts';

export interface ConditionRecord {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** A condition that says that something is wrong, with what such a thing means and what to do. */
export interface Fault extends ConditionRecord {
  readonly meaning?: string;
  readonly remedy?: string;
}

/** The conditions among these that are not as they should be. */
export const faultsIn = (conditions: readonly ConditionRecord[]): Fault[] =>
  conditions
    .filter((condition) => severityOf(condition) !== undefined)
    .map(({ type, status, reason, message }) => ({ type, status, reason, message, ...conditionReasons[reason] }));
