import type { FilterGroup } from './group.ts';

/** Which requests are calls is for routes to say. */
export const grpcWeb: FilterGroup<'grpcWeb'> = { isPerRoute: true, valueOf: () => ({}) };
