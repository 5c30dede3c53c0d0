import type { ObjectByKind } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';

type PolicySpec = ObjectByKind['RateLimitPolicy']['spec'];
type Spec = PolicySpec['buckets'][number];

/** What the descriptor of a bucket begins with, for a ratelimit service. */
export const entriesOf = ({ name, descriptor }: Spec): readonly ir.LimitEntry[] =>
  descriptor?.map(({ key, value }) => ({ key, value })) ?? [{ key: 'bucket', value: name }];

export function descriptorFaults(spec: Spec, counting: PolicySpec['counting'], match: ir.LimitMatch): string[] {
  if (counting === 'Service') return [...limitsFault(spec), ...entriesFault(spec, match)];
  return spec.descriptor || spec.key?.some(({ entry }) => entry !== undefined)
    ? ['descriptor, and `entry` of a key, are for counting: Service']
    : [];
}

const limitsFault = ({ limits }: Spec): string[] =>
  limits ? ['with counting: Service the service knows the limits: remove limits'] : [];

/** Envoy makes an entry for whatever it compares. */
function entriesFault(spec: Spec, match: ir.LimitMatch): string[] {
  const [needed, given] = [ir.comparisonsOf(match), entriesOf(spec).length];
  return needed <= given
    ? []
    : [
        `its match compares ${needed} of: methods, path and headers; queryParams; clientCIDRs.include; clientCIDRs.exclude. Each needs an entry of descriptor, which has ${given}: add ${needed - given}`,
      ];
}
