import { bytesOf } from './bytes.ts';
import type { FilterGroup } from './group.ts';

export const requestBody: FilterGroup<'requestBody'> = {
  closedWith: 503,
  valueOf: ({ maxBytes }) => ({ maxBytes: bytesOf(maxBytes) }),
};
