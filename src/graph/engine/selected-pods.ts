import { namespaceOfKey } from '../../gateway-api/index.ts';
import { type Change, versionsOf } from './edge.ts';
import { pairsOfObject } from './label-pairs.ts';

/** An edge to the Pods of its own namespace that have all labels of a selector, found by those that they have, or had. */
export const toSelectedPods = {
  to: { Pod: namespaceOfKey },
  found: (change: Change) => [...new Set(versionsOf(change as Change<'Pod'>).flatMap(pairsOfObject))],
} as const;
