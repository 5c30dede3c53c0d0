import { worstOf } from '../../gateway-api/index.ts';
import type { ListenerRecord } from '../listeners/record.ts';

export const yesNo = (flag: boolean): string => (flag ? 'yes' : 'no');

/** The message of the worst condition. */
export const worstMessage = (conditions: ListenerRecord['conditions']): string =>
  worstOf(conditions)?.condition.message ?? '';

/** `12s`, `5m`, `3h`, `2d`: how long ago, as kubectl writes ages. */
export function age(since: string | null, now: Date): string {
  if (since === null) return '';
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
