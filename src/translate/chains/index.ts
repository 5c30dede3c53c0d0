/** ECDS: the filter chains of each HTTP table, which hold what its routes use and nothing else. */
export { meetsBase } from './base-chain.ts';
export { chainFilters, chainResources, translateChains } from './filter-chain.ts';
export { needsOf, usesAccess } from './needs.ts';
export type { UsedSlots } from './slot-lists.ts';
export { type HostNeeds, TableSlots } from './table-slots.ts';
