import { until as untilThen } from '../../support/until.ts';

/** Longer than elsewhere: a pod that takes ten seconds on a machine with nothing else to do takes minutes on a busy one. */
export const deadlineMs = 240_000;

export const until = <T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> =>
  untilThen(what, ask, deadlineMs);
