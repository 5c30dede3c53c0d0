import {
  type Condition,
  conditionReasons,
  isProblem,
  keyOf,
  parseObjectKey,
  severityOf,
} from '../../gateway-api/index.ts';
import { listGateways } from '../gateways/gateway-record.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

type Sources = Pick<AdminSources, 'graph'>;

/** What the conditions say that are not as they should be; what several say is said once, with the first one's reason. */
export function conditionTexts(conditions: readonly Condition[]): string {
  const byMessage = Map.groupBy(conditions.filter(isProblem), ({ reason, message }) => message || reason);
  return [...byMessage.values()].map(([first]) => `${first?.reason}: ${first?.message}`).join('; ');
}

/** The meaning and remedy of the first reason that is known. */
export function causeOf(conditions: readonly Condition[]): Pick<Finding, 'reason' | 'cause' | 'next'> {
  for (const { reason } of conditions.filter(isProblem)) {
    const known = Object.hasOwn(conditionReasons, reason) ? conditionReasons[reason] : undefined;
    if (known) return { reason, cause: known.meaning, next: known.remedy };
  }
  return {};
}

/** Whether something is not served at all, rather than in part. */
export const isFailing = (conditions: readonly Condition[]): boolean =>
  conditions.some((condition) => severityOf(condition) === 'error');

/** Listeners, and Gateways with more to say than their listeners do. */
export function* ofGateways({ graph }: Sources): Generator<Finding> {
  const withProblem = new Set<string>();
  for (const { name, gateway, conditions } of graph.listeners()) {
    const message = conditionTexts(conditions);
    if (message === '') continue;
    withProblem.add(`${gateway.namespace}/${gateway.name}`);
    yield {
      code: isFailing(conditions) ? 'listener_failed' : 'listener_degraded',
      object: { kind: 'Listener', namespace: '', name },
      message,
      ...causeOf(conditions),
    };
  }
  for (const { gateway, status } of listGateways(graph)) {
    const message = conditionTexts(status.conditions);
    if (message === '' || withProblem.has(keyOf(gateway))) continue;
    const object = { kind: 'Gateway', ...parseObjectKey(keyOf(gateway)) };
    yield { code: 'gateway_failed', object, message, ...causeOf(status.conditions) };
  }
}
