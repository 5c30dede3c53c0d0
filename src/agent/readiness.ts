import type { ListenerStatus } from './listener-status.ts';
import type { Refusal } from './relay/index.ts';

/** All that decides whether this data plane may get traffic. */
export interface ReadinessFacts {
  readonly draining: boolean;
  /** Envoy's process id; undefined: it is not running. */
  readonly pid: number | undefined;
  /** How Envoy's last run ended. */
  readonly lastEnd: string | undefined;
  /** Envoy's state as it says itself; undefined: it does not answer. */
  readonly state: string | undefined;
  /** A snapshot is applied. */
  readonly applied: boolean;
  readonly listeners: readonly ListenerStatus[];
  /** Envoy's refusal of listeners, when its last answer on them was one. */
  readonly listenerRefusal: Refusal | undefined;
}

/** Why this data plane is not ready, all reasons at once; undefined when it is. */
export function notReadyReason(facts: ReadinessFacts): string | undefined {
  if (facts.draining) return 'draining';
  if (facts.pid === undefined) return `Envoy is not running${facts.lastEnd ? `: ${facts.lastEnd}` : ''}`;
  if (facts.state === undefined) return 'Envoy does not answer';
  const reasons = facts.applied ? [] : ['no configuration is applied yet'];
  if (facts.state !== 'LIVE') reasons.push(`Envoy is ${facts.state}`);
  const unbound = facts.listeners.filter((listener) => !listener.active).map((listener) => listener.name);
  if (unbound.length > 0) reasons.push(unboundReason(unbound, facts.listenerRefusal));
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

function unboundReason(names: readonly string[], refusal: Refusal | undefined): string {
  const text = `not bound: listener ${names.join(', ')}`;
  return refusal ? `${text}: Envoy refused: ${refusal.message}` : text;
}
