import { parseDurationMs } from '../../std/index.ts';
import { invalidQuery } from '../http/index.ts';

/** In milliseconds. */
export const minute = 60_000;
export const day = 24 * 60 * minute;

/** How far back an answer goes, in milliseconds: from a minute to a day, 15 minutes unless the query says so. */
export function windowOf(text = '15m'): number {
  const ms = parseDurationMs(text);
  if (ms !== undefined && ms >= minute && ms <= day) return ms;
  throw invalidQuery('window', `expected a duration from ${durationText(minute)} to ${durationText(day)}, such as 15m`);
}

export const durationText = (ms: number): string => {
  if (ms % (60 * minute) === 0) return `${ms / (60 * minute)}h`;
  return ms % minute === 0 ? `${ms / minute}m` : `${ms / 1000}s`;
};
