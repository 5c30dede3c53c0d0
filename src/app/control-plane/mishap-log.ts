import type { Mishap } from '../../graph/index.ts';
import type { Logger } from '../../telemetry/index.ts';

/** Objects whose latest exception is remembered, so that builds do not repeat it at this level. */
const mostRemembered = 1_000;

/** Logs an exception while an object was resolved: with its stack the first time, for a log must not grow with each build that meets it again. */
export function mishapLog(log: Logger): (mishap: Mishap) => void {
  const known = new Map<string, string>();
  return ({ kind, key, error }) => {
    const place = `${kind} ${key}`;
    const text = String(error);
    const level = known.get(place) === text ? 'debug' : 'error';
    known.delete(place);
    known.set(place, text);
    const [oldest] = known.keys();
    if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest);
    log[level](
      { err: error, kind, object: key },
      'failed to resolve an object: nothing of it is served, all others are',
    );
  };
}
