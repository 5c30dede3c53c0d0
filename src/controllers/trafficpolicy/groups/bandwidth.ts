import type * as ir from '../../../ir/index.ts';
import { bytesOf } from './bytes.ts';
import type { FilterGroup } from './group.ts';

const kibOf = (text: string): number => bytesOf(text) / 1024;

/** By the value, which all rules and matches of a route share. */
const known = new WeakMap<ir.Bandwidth, Map<string, ir.Bandwidth>>();

export const bandwidth: FilterGroup<'bandwidth'> = {
  valueOf: ({ perRequest, total }) => ({
    ...(perRequest && { answerKiB: kibOf(perRequest.response) }),
    ...(total && {
      total: {
        ...(total.request !== undefined && { requestKiB: kibOf(total.request) }),
        ...(total.response !== undefined && { answerKiB: kibOf(total.response) }),
      },
    }),
  }),
  valueFor(value, target) {
    if (!value.total) return value;
    const ofTargets = known.get(value) ?? new Map<string, ir.Bandwidth>();
    known.set(value, ofTargets);
    const found = ofTargets.get(target) ?? { ...value, total: { ...value.total, of: target } };
    ofTargets.set(target, found);
    return found;
  },
};
