/** A lifetime is counted in so many parts, fewer where that would make them shorter than a second. */
const parts = 16;

/** The epochs whose tokens are good at one moment. */
export interface Epochs {
  /** New tokens are of this one. */
  readonly current: number;
  /** `current` among them, and the one after it, for agents whose clocks are ahead. */
  readonly accepted: readonly number[];
  /** Until `current` ends; Infinity when tokens live for ever. */
  readonly secondsLeft: number;
}

/**
 * Tokens say when they were made by the epoch they are of, so that all clients of an endpoint share one. A token is never good for longer than
 * the lifetime, and for at most one part of it less. `lifetimeSeconds` 0: for ever, in one epoch.
 */
export function epochsAt(now: Date, lifetimeSeconds: number): Epochs {
  if (lifetimeSeconds === 0) return { current: 0, accepted: [0], secondsLeft: Number.POSITIVE_INFINITY };
  const length = Math.ceil(lifetimeSeconds / parts);
  const count = Math.floor(lifetimeSeconds / length);
  const seconds = now.getTime() / 1000;
  const current = Math.floor(seconds / length);
  const former = Array.from({ length: count - 1 }, (_, index) => current - 1 - index);
  return { current, accepted: [current, ...former, current + 1], secondsLeft: (current + 1) * length - seconds };
}
