import type { Condition } from './conditions.ts';

/**
 * How bad a condition is. `error`: the object, or this part of it, is not served. `degraded`: it is served in part, or its next change fails
 * requests. `advisory`: it is served as written, and a person should know something about it.
 */
export type ConditionSeverity = 'error' | 'degraded' | 'advisory';

/** The worst first. */
const severities: readonly ConditionSeverity[] = ['error', 'degraded', 'advisory'];

interface Rule {
  /** The status that says that all is well; of conditions that are good when True, Unknown is not good either. */
  readonly good: 'True' | 'False';
  readonly severity: ConditionSeverity;
}

/** By type of condition. Source: the `…ConditionType` constants of `apis/v1` in Gateway API 1.7, GEP-1364. */
const rules: Readonly<Record<string, Rule>> = {
  Accepted: { good: 'True', severity: 'error' },
  Programmed: { good: 'True', severity: 'error' },
  Conflicted: { good: 'False', severity: 'error' },
  // Of a route, the rules that refer elsewhere are served.
  ResolvedRefs: { good: 'True', severity: 'degraded' },
  // Of a Gateway, which is not Programmed then, and says there what is missing.
  AddressesAssigned: { good: 'True', severity: 'degraded' },
  // Rules were dropped; the others are served.
  PartiallyInvalid: { good: 'False', severity: 'degraded' },
  SupportedVersion: { good: 'True', severity: 'degraded' },
  OverlappingTLSConfig: { good: 'False', severity: 'advisory' },
  // Of a policy, what another one rules instead of it.
  Overridden: { good: 'False', severity: 'advisory' },
  // Of a patch, that proxies have yet to try it apart, or cannot.
  Validated: { good: 'True', severity: 'advisory' },
  // Of a policy, what proxies reject of it; the rest of it is in force. Of it and of a DataPlane, a database that proxies cannot use.
  Degraded: { good: 'False', severity: 'degraded' },
  InsecureFrontendValidationMode: { good: 'False', severity: 'advisory' },
  // Requests are served, and anyone on their way can read them: that is for the list of problems.
  InsecureBackendValidationMode: { good: 'False', severity: 'degraded' },
};

/** Remarks: reasons of conditions with a good status that still have something to say. */
const remarks: Readonly<Record<string, ConditionSeverity>> = {
  // It is in force, and to move it fails requests: that must be known before.
  NoRoomToMove: 'degraded',
  OverrideNotAllowed: 'advisory',
  CertificatesNotRequested: 'advisory',
  LoginNeedsHTTPS: 'advisory',
  RepeatedOnRoutes: 'advisory',
};

/** What the judgement looks at. Also conditions of other controllers are judged. */
export type JudgedCondition = Pick<Condition, 'type'> & { readonly status: string; readonly reason?: string };

/** How bad the condition is; undefined when it is good. Types that are not known are taken to be good when they are not False. */
export function severityOf(condition: JudgedCondition): ConditionSeverity | undefined {
  return severityOfStatus(condition) ?? severityOfRemark(condition);
}

function severityOfStatus({ type, status }: JudgedCondition): ConditionSeverity | undefined {
  const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (rule === undefined) return status === 'False' ? 'advisory' : undefined;
  const isGood = rule.good === 'True' ? status === 'True' : status !== 'True';
  return isGood ? undefined : rule.severity;
}

const severityOfRemark = ({ type, reason = '' }: JudgedCondition): ConditionSeverity | undefined =>
  type === 'Accepted' && Object.hasOwn(remarks, reason) ? remarks[reason] : undefined;

/** Whether only the reason of the condition is worth a word: its status is good. */
export const isRemark = (condition: JudgedCondition): boolean =>
  severityOfStatus(condition) === undefined && severityOfRemark(condition) !== undefined;

/** Whether something does not work as it is written. An advisory is no problem. */
export function isProblem(condition: JudgedCondition): boolean {
  const severity = severityOf(condition);
  return severity === 'error' || severity === 'degraded';
}

/** The worst condition that is not good, the first of several. Undefined when all are good. */
export function worstOf<T extends JudgedCondition>(
  conditions: readonly T[],
): { readonly condition: T; readonly severity: ConditionSeverity } | undefined {
  for (const severity of severities) {
    const condition = conditions.find((candidate) => severityOf(candidate) === severity);
    if (condition) return { condition, severity };
  }
  return undefined;
}

/** Reasons of a Gateway that has yet to get its proxies or its address. */
const pendingReasons: readonly string[] = ['Pending', 'AddressNotAssigned'];

/** Whether the condition is one that time alone makes good: proxies or an address are on their way. */
export const isPending = ({ type, reason }: Pick<Condition, 'type' | 'reason'>): boolean =>
  type === 'Programmed' && pendingReasons.includes(reason);
