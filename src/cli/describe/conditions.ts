import { conditionReasons, severityOf } from '../../gateway-api/index.ts';
import type { SaidCondition, Scope } from '../kit/conditions.ts';
import { type Section, section } from './section.ts';

/** The conditions of an object by what they are of. What is well is one line; the rest comes with what it means and what to do. */
export function conditionSection(scopes: readonly Scope[]): Section {
  const data = scopes.map(({ scope, conditions }) => ({
    of: scope,
    conditions: conditions.map((condition) => ({ ...withoutGeneration(condition), ...explained(condition) })),
  }));
  const lines = scopes.flatMap(({ scope, conditions }) => scopeLines(scope, conditions));
  return section('conditions', data, lines.length > 0 ? lines : ['none: no controller has judged it yet']);
}

const withoutGeneration = ({ type, status, reason, message }: SaidCondition): SaidCondition => ({
  type,
  status,
  reason,
  message,
});

/** Of the default that the CRDs of Gateway API give Gateways and GatewayClasses: it stays where no controller serves the class. */
const unserved = {
  means: 'No controller has judged it: none serves its class, or the one that does is not running.',
  next: 'Name a class that a running controller serves: `kubectl get gatewayclass` shows them, ACCEPTED is True for those.',
};

function explained({ type, status, reason, message }: SaidCondition): {
  readonly means: string | null;
  readonly next: string | null;
} {
  if (reason === 'Pending' && message === 'Waiting for controller') return unserved;
  const known = Object.hasOwn(conditionReasons, reason) ? conditionReasons[reason] : undefined;
  return {
    means: known?.meaning ?? null,
    next: isWell({ type, status, reason, message }) ? null : (known?.remedy ?? null),
  };
}

/** What is accepted as it is written may still have something to say, in a reason of its own. */
const isWell = (condition: SaidCondition): boolean => {
  const { type, status, reason } = condition;
  const hasRemark = type === 'Accepted' && status === 'True' && reason !== 'Accepted';
  return severityOf(condition) === undefined && !hasRemark;
};

/** What an object does or lacks although nothing is wrong with it, such as when a list of revoked certificates ends. */
const isAdvice = (condition: SaidCondition): boolean =>
  condition.type === 'Accepted' && condition.message !== '' && isWell(condition);

function scopeLines(scope: string, conditions: readonly SaidCondition[]): string[] {
  const where = scope === '' ? '' : `${scope}: `;
  const advice = conditions.filter(isAdvice);
  const well = conditions.filter((condition) => isWell(condition) && !isAdvice(condition));
  const others = conditions.filter((condition) => !isWell(condition));
  return [
    ...(well.length > 0 ? [`${where}${well.map(({ type, status }) => `${type}=${status}`).join(', ')}`] : []),
    ...advice.map(({ type, status, message }) => `${where}${type}=${status}: ${message}`),
    ...others.flatMap((condition) => faultLines(where, condition)),
  ];
}

function faultLines(where: string, condition: SaidCondition): string[] {
  const { type, status, reason, message } = condition;
  const { means, next } = explained(condition);
  return [
    `${where}${type}=${status}, ${reason}${message === '' ? '' : `: ${message}`}`,
    ...(means === null ? [] : [`    means: ${means}`]),
    ...(next === null ? [] : [`    next: ${next}`]),
  ];
}
