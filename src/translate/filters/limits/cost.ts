import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RateLimit_HitsAddendSchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';

/** A number that is computed for each request, and where it is kept. */
export interface ComputedCost {
  readonly key: string;
  readonly expression: string;
}
type HeaderCost = Extract<ir.LimitCost, { kind: 'header' }>;

/** Names have letters, digits, `-` and `_` only. */
const stateOf = ({ name, otherwise, most }: HeaderCost): string => `gatewright.limit.cost.${name}.${otherwise}.${most}`;

/** A request for which Envoy finds no number would count against nothing, so there is always one. */
const expressionOf = ({ name, otherwise, most }: HeaderCost): string => {
  const header = `request.headers['${name}']`;
  const isNumber = `'${name}' in request.headers && ${header}.matches('^0*[1-9][0-9]*$')`;
  // Of ten digits at most, so that it is a number of 64 bits.
  const isMore = `size(${header}) > 10 || int(${header}) > ${most}`;
  return `${isNumber} ? (${isMore} ? '${most}' : ${header}) : '${otherwise}'`;
};

export function computedCosts(buckets: readonly ir.LimitBucket[]): readonly ComputedCost[] {
  const costs = buckets.flatMap(({ cost }) => (cost?.kind === 'header' ? [cost] : []));
  return [...new Map(costs.map((cost) => [stateOf(cost), expressionOf(cost)]))].map(([key, expression]) => ({
    key,
    expression,
  }));
}

/** What Envoy counts a request for; undefined: one. */
export function hitsOf({ cost }: ir.LimitBucket): MessageInitShape<typeof RateLimit_HitsAddendSchema> | undefined {
  if (!cost) return undefined;
  return cost.kind === 'fixed'
    ? { number: BigInt(cost.requests) }
    : { format: `%FILTER_STATE(${stateOf(cost)}:PLAIN)%` };
}
