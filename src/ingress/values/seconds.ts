const day = 86_400;

/** Whole seconds as a duration of ours: one at least, and at most so many as the field takes, which is a day unless it is said. */
export const secondsText = (seconds: number, most = day): string =>
  most === day && seconds >= day ? '24h' : `${Math.min(most, Math.max(1, seconds))}s`;
