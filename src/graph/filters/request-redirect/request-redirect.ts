import type * as ir from '../../../ir/index.ts';
import type { FilterModule, RedirectSpec } from '../filter-module.ts';
import { firstFault } from '../first-fault.ts';
import { pathRewrite, targetFaults } from '../path-rewrite.ts';

/** Source: HTTPRequestRedirectFilter. */
export const requestRedirect: FilterModule = {
  ruleOnly: true,
  valueFault: ({ requestRedirect: spec }) => firstFault(targetFaults(spec)),
  resolve: ({ requestRedirect: spec = {} }) => ({ redirect: spec }),
};

const wellKnownPorts = { http: 80, https: 443 } as const;

/**
 * The redirect as it reads behind one listener. The port is the filter's, else the well-known port of the filter's
 * scheme, else the listener's; it is not printed when the scheme implies it. Source: HTTPRequestRedirectFilter.port.
 */
export function redirectAction(
  spec: RedirectSpec,
  listener: { readonly protocol: string; readonly port: number },
  prefix: string | undefined,
): ir.RedirectAction {
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
