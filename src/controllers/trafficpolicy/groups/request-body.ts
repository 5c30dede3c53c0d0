import { bytesOf } from './bytes.ts';
import type { FilterGroup } from './group.ts';

export const requestBody: FilterGroup<'requestBody'> = {
  closes: true,
  valueOf: ({ maxBytes }) => ({ maxBytes: bytesOf(maxBytes) }),
};
