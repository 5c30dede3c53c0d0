import type { Refusal } from '../../graph/index.ts';

/** What of a refusal tells it from others: not the words. */
export const refusalKey = ({ kind, gateway, key, digest }: Omit<Refusal, 'message'>): string =>
  `${kind} ${gateway} ${key} ${digest}`;
