import type * as ir from '../../ir/index.ts';

/** Networks of a filter chain's clients (`envoy.config.core.v3.CidrRange`). An empty list would stand for all of them. */
export const prefixRanges = (networks: readonly ir.Cidr[]) =>
  networks.map(({ address, prefixLength }) => ({ addressPrefix: address, prefixLen: prefixLength }));
