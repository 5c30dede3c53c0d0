import type { Origin } from '../../translate/index.ts';

/** Distinguishes content from all other. */
export const originKey = ({ kind, key, digest }: Origin): string => `${kind} ${key} ${digest}`;
