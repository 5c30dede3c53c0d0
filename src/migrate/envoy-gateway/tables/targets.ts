import type { Table } from '../../kit/table.ts';

/** Fields that all policies have. */
export const targetFields: Table = {
  targetRef: { aside: 'targetRefs' },
  targetRefs: { aside: 'targetRefs' },
  targetSelectors: { aside: 'targetRefs of the objects that have the labels now' },
  mergeType: { aside: 'overrides of an AccessPolicy, disabled of a TrafficPolicy' },
};
