import { bytesOf } from './bytes.ts';
import type { FilterGroup } from './group.ts';

export const bandwidth: FilterGroup<'bandwidth'> = {
  valueOf: ({ perRequest: { response } }) => ({ answerKiB: bytesOf(response) / 1024 }),
};
