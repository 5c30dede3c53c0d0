import type { FilterGroup } from './group.ts';

export const responseLocation: FilterGroup<'responseLocation'> = {
  valueOf: (changes) => changes.map(({ from, to }) => ({ from, to })),
};
