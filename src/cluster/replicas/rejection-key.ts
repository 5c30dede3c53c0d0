import type { Rejection } from '../../graph/index.ts';

/** What of a rejection tells it from others: not the words. */
export const rejectionKey = ({ kind, gateway, key, digest }: Omit<Rejection, 'message'>): string =>
  `${kind} ${gateway} ${key} ${digest}`;
