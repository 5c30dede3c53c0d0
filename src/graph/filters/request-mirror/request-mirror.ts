import * as z from 'zod';
import type { FilterSpec } from '../../model/index.ts';
import type { FilterModule } from '../filter-module.ts';

const million = 1_000_000;

/** A copy that leads nowhere is left out, as the specification asks. Source: HTTPRequestMirrorFilter. */
export const requestMirror: FilterModule = {
  key: 'mirrors',
  forwardedOnly: true,
  references: ({ requestMirror: spec }) => (spec ? [{ backendRef: spec.backendRef }] : []),
  resolve({ requestMirror: spec }, { earlier: { filters }, targets: [target] }) {
    if (!spec || !target || 'fault' in target) return {};
    return {
      filters: { mirrors: [...(filters?.mirrors ?? []), { backend: target.key, perMillion: perMillion(spec) }] },
    };
  },
  backendsOf: ({ mirrors = [] }) => mirrors.map(({ backend }) => backend),
  effect: {
    schema: z.array(z.strictObject({ backend: z.string(), perMillion: z.int().min(0) })),
    show: ({ mirrors }) => mirrors,
  },
};

/** Everything unless `percent` or `fraction` says less. */
function perMillion({ percent, fraction }: NonNullable<FilterSpec['requestMirror']>): number {
  if (fraction) return Math.min(million, Math.round((fraction.numerator * million) / (fraction.denominator ?? 100)));
  return percent === undefined ? million : (percent * million) / 100;
}
