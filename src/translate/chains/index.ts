/** ECDS: the filter chains of each HTTP table, which hold what its routes use and nothing else. */
export { inBase, toBase } from './base-chain.ts';
export { type EncodableChains, encodableChains } from './encodable-chains.ts';
export { chainFilters, chainResources, translateChains } from './filter-chain.ts';
export { needsOf } from './needs.ts';
export type { SlotsOfTable } from './slot-lists.ts';
export { type HostNeeds, TableSlots } from './table-slots.ts';
