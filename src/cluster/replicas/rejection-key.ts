import type { Rejection } from '../../graph/index.ts';

/** What identifies a rejection: not the words. */
export const rejectionKey = ({ kind, gateway, key, digest, trial }: Omit<Rejection, 'message'>): string =>
  `${kind} ${gateway} ${key} ${digest} ${trial}`;
