import { type Condition, worstOf } from '../../gateway-api/index.ts';
import type { TopologyStatus } from './record.ts';

/** What the worst condition makes of a node, with its message. Advisories leave it healthy. */
export function statusOfWorst(conditions: readonly Condition[]): {
  readonly status: TopologyStatus;
  readonly detail: string;
} {
  const worst = worstOf(conditions);
  if (worst === undefined || worst.severity === 'advisory') return { status: 'healthy', detail: '' };
  return { status: worst.severity === 'error' ? 'failed' : 'degraded', detail: worst.condition.message };
}
