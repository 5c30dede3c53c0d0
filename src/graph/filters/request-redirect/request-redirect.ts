import type * as ir from '../../../ir/index.ts';
import type { FilterModule, RedirectSpec, ResolvedFilters } from '../filter-module.ts';
import { firstFault } from '../first-fault.ts';
import { pathRewrite, targetFaults } from '../path-rewrite.ts';

/** Source: HTTPRequestRedirectFilter. */
export const requestRedirect: FilterModule = {
  ruleOnly: true,
  valueFault: ({ requestRedirect: spec }) => firstFault(targetFaults(spec)),
  resolve: ({ requestRedirect: spec = {} }) => ({ redirect: spec }),
};

interface RedirectListener {
  readonly protocol: string;
  readonly port: number;
}

/** The redirect of a rule, if it has one, for a match whose PathPrefix is `prefix`. */
export function redirectOf(
  { redirect, ownRedirect }: Pick<ResolvedFilters, 'redirect' | 'ownRedirect'>,
  listener: RedirectListener,
  prefix: string | undefined,
): ir.RedirectAction | undefined {
  if (!ownRedirect) return redirect && redirectAction(redirect, listener, prefix);
  const { path, stripQuery } = ownRedirect;
  return { ...redirectAction(ownRedirect.redirect, listener, prefix), path, ...(stripQuery && { stripQuery }) };
}

const wellKnownPorts = { http: 80, https: 443 } as const;

/**
 * The redirect as it reads behind one listener. The port is the filter's, else the well-known port of the filter's
 * scheme, else the listener's; it is not printed when the scheme implies it. Source: HTTPRequestRedirectFilter.port.
 */
function redirectAction(spec: RedirectSpec, listener: RedirectListener, prefix: string | undefined): ir.RedirectAction {
  const asked = spec.scheme?.toLowerCase() as 'http' | 'https' | undefined;
  const scheme = asked ?? (listener.protocol === 'HTTPS' ? 'https' : 'http');
  const port = spec.port ?? (asked ? wellKnownPorts[asked] : listener.port);
  return {
    kind: 'redirect',
    ...(asked && { scheme: asked }),
    ...(spec.hostname && { host: spec.hostname }),
    ...(port !== wellKnownPorts[scheme] && { port }),
    ...(spec.path && { path: pathRewrite(spec.path, prefix) }),
    statusCode: spec.statusCode ?? 302,
  };
}
