import type * as ir from '../../../ir/index.ts';
import type { FilterModule, RewriteSpec } from '../filter-module.ts';
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
export const rewriteOf = (spec: RewriteSpec | undefined, prefix: string | undefined): ir.UrlRewrite | undefined =>
  spec && {
    ...(spec.hostname !== undefined && { host: spec.hostname }),
    ...(spec.path && { path: pathRewrite(spec.path, prefix) }),
  };
