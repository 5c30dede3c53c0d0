import { bytesOf } from './bytes.ts';
import type { FilterGroup } from './group.ts';

export const buffering: FilterGroup<'buffering'> = {
  valueOf: ({ request: { maxBytes } }) => ({ maxBytes: bytesOf(maxBytes) }),
};
