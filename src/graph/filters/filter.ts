import type { ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { maxAuthsInRow } from '../../ir/index.ts';
import type { Fault } from '../model/condition.ts';
import { corsOf } from './cors/cors.ts';
import { type AuthFilter, authFault, tooManyAuths } from './external-auth/external-auth.ts';
import { filterFault } from './filter-fault.ts';

export type RuleSpec = NonNullable<NonNullable<ObjectByKind['HTTPRoute']['spec']>['rules']>[number];
export type FilterSpec = NonNullable<RuleSpec['filters']>[number];
type HeaderFilter = NonNullable<FilterSpec['requestHeaderModifier']>;
type RedirectFilter = NonNullable<FilterSpec['requestRedirect']>;
export type MirrorFilter = NonNullable<FilterSpec['requestMirror']>;

/** What the filters of a rule, or of one backendRef, come to. */
export interface SettledFilters {
  readonly requestHeaders?: ir.HeaderChanges;
  readonly responseHeaders?: ir.HeaderChanges;
  readonly rewrite?: ir.UrlRewrite;
  readonly redirect?: RedirectFilter;
  /** In the order of writing; where they lead is for the caller to find out. */
  readonly mirrors?: readonly MirrorFilter[];
  readonly cors?: ir.Cors;
  /** In the order of writing; where they lead is for the caller to find out. */
  readonly auths?: readonly AuthFilter[];
  /** A filter that cannot be had: requests that it should have handled must get an error instead. */
  readonly fault?: Fault;
}

/** Settles a filter list. `prefix` is the PathPrefix of the match, for rewrites of it. */
export function settleFilters(filters: readonly FilterSpec[] = [], prefix: string | undefined): SettledFilters {
  let settled: SettledFilters = {};
  for (const filter of filters) {
    const fault = filterFault(filter);
    settled = { ...settled, ...settleFilter(filter, prefix, settled), ...(fault && { fault }) };
  }
  return settled;
}

function settleFilter(filter: FilterSpec, prefix: string | undefined, settled: SettledFilters): SettledFilters {
  switch (filter.type) {
    case 'RequestHeaderModifier':
      return requestHeaders(filter.requestHeaderModifier ?? {}, settled);
    case 'ResponseHeaderModifier':
      return responseHeaders(filter.responseHeaderModifier ?? {});
    case 'URLRewrite': {
      const { hostname, path } = filter.urlRewrite ?? {};
      return {
        rewrite: {
          ...settled.rewrite,
          ...(hostname && { host: hostname }),
          ...(path && { path: pathRewrite(path, prefix) }),
        },
      };
    }
    case 'RequestRedirect':
      return { redirect: filter.requestRedirect ?? {} };
    case 'RequestMirror':
      return filter.requestMirror ? { mirrors: [...(settled.mirrors ?? []), filter.requestMirror] } : {};
    case 'CORS':
      return { cors: corsOf(filter.cors ?? {}) };
    case 'ExternalAuth':
      return filter.externalAuth ? externalAuth(filter.externalAuth, settled) : {};
    default:
      return {
        fault: {
          reason: 'UnsupportedValue',
          message: `filter ${filter.type} is not supported; requests of its rule are answered 500`,
        },
      };
  }
}

function externalAuth(filter: AuthFilter, settled: SettledFilters): SettledFilters {
  const auths = [...(settled.auths ?? []), filter];
  const fault = authFault(filter) ?? tooManyAuths(auths);
  return { auths: auths.slice(0, maxAuthsInRow), ...(fault && { fault }) };
}

/** Envoy has no header mutation for Host; setting it is a host rewrite, and other changes to it cannot be had. */
function requestHeaders(filter: HeaderFilter, settled: SettledFilters): SettledFilters {
  const host = filter.set?.find(({ name }) => name.toLowerCase() === 'host');
  const others = { ...filter, set: filter.set?.filter((header) => header !== host) };
  const fault = hostFault(others);
  const requestHeaders = headerChanges(others);
  return {
    requestHeaders,
    ...(host && { rewrite: { ...settled.rewrite, host: host.value } }),
    ...(fault && { fault }),
  };
}

const responseHeaders = (filter: HeaderFilter): SettledFilters => ({ responseHeaders: headerChanges(filter) });

const headerChanges = ({ set = [], add = [], remove = [] }: HeaderFilter): ir.HeaderChanges => ({
  set: set.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
  add: add.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
  remove: remove.map((name) => name.toLowerCase()),
});

function hostFault({ set = [], add = [], remove = [] }: HeaderFilter): Fault | undefined {
  const names = [...set, ...add].map(({ name }) => name).concat(remove);
  if (!names.some((name) => name.toLowerCase() === 'host')) return undefined;
  return {
    reason: 'UnsupportedValue',
    message: 'the Host header can be set, but neither added to nor removed: use set, or URLRewrite.hostname',
  };
}

/** `prefix` is missing when the match is not a PathPrefix; the CRD's rules keep ReplacePrefixMatch from that. */
function pathRewrite(
  path: { readonly type: string; readonly replaceFullPath?: string; readonly replacePrefixMatch?: string },
  prefix: string | undefined,
): ir.PathRewrite {
  if (path.type === 'ReplaceFullPath') return { kind: 'full', value: path.replaceFullPath ?? '/' };
  return { kind: 'prefix', from: prefix ?? '/', value: path.replacePrefixMatch ?? '/' };
}

const wellKnownPorts = { http: 80, https: 443 } as const;

/**
 * The redirect as it reads behind one listener. The port is the filter's, else the well-known port of the filter's
 * scheme, else the listener's; it is not printed when the scheme implies it. Source: HTTPRequestRedirectFilter.port.
 */
export function redirectAction(
  filter: RedirectFilter,
  listener: { readonly protocol: string; readonly port: number },
  prefix: string | undefined,
): ir.RedirectAction {
  const asked = filter.scheme?.toLowerCase() as 'http' | 'https' | undefined;
  const scheme = asked ?? (listener.protocol === 'HTTPS' ? 'https' : 'http');
  const port = filter.port ?? (asked ? wellKnownPorts[asked] : listener.port);
  return {
    kind: 'redirect',
    ...(asked && { scheme: asked }),
    ...(filter.hostname && { host: filter.hostname }),
    ...(port !== wellKnownPorts[scheme] && { port }),
    ...(filter.path && { path: pathRewrite(filter.path, prefix) }),
    statusCode: filter.statusCode ?? 302,
  };
}
