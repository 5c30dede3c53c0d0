import type * as ir from '../../../ir/index.ts';
import type { FilterModule, ResolvedFilters } from '../filter-module.ts';
import { firstFault } from '../first-fault.ts';
import { pathRewrite, targetFaults } from '../path-rewrite.ts';

/** Source: HTTPURLRewriteFilter. */
export const urlRewrite: FilterModule = {
  valueFault: ({ urlRewrite: spec }) => firstFault(targetFaults(spec)),
  resolve: ({ urlRewrite: { hostname, path } = {} }) => ({
    rewrite: { ...(hostname && { hostname }), ...(path && { path }) },
  }),
};

/** The rewrite for one match, whose PathPrefix is `prefix`. */
export const rewriteOf = (
  { rewrite: spec, ownRewrite }: Pick<ResolvedFilters, 'rewrite' | 'ownRewrite'>,
  prefix: string | undefined,
): ir.UrlRewrite | undefined =>
  spec || ownRewrite
    ? {
        ...(spec?.hostname !== undefined && { host: spec.hostname }),
        ...(ownRewrite?.hostFrom && { hostFrom: ownRewrite.hostFrom }),
        ...(ownRewrite?.forwardsHost && { forwardsHost: true }),
        ...(spec?.path && { path: pathRewrite(spec.path, prefix) }),
        ...(ownRewrite?.path && { path: ownRewrite.path }),
      }
    : undefined;
