import * as ir from '../../../ir/index.ts';
import { loginSessionId } from '../../../key-sets/index.ts';
import { parseDurationMs } from '../../../std/index.ts';
import { headerFaults, writtenHeaderFault } from './header-names.ts';
import { loginSecretsOf, sessionOf } from './login-secrets.ts';
import { endpointsOf, type FoundEndpoints, loginBackendKey, tokenServerOf } from './login-server.ts';
import { invalid, type PartDeps, type ResolvedPart, type Spec } from './part.ts';
import { hasDotSegments } from './path-segments.ts';

type OidcSpec = NonNullable<Spec['oidc']>;
type ConditionSpec = NonNullable<OidcSpec['denyRedirect']>[number];

const defaultRedirectPath = '/oauth2/callback';

/** Where nothing is missing, browsers log in; until a provider's document is there, no client comes in. */
export function resolveOidc(spec: OidcSpec, deps: PartDeps): ResolvedPart<ir.Oidc> {
  const { policy, store } = deps;
  const endpoints = endpointsOf(spec, policy, store);
  const secrets = loginSecretsOf(spec, policy, store);
  const server = tokenServerOf(spec, endpoints, deps);
  const faults = [...faultsOf(spec, deps.policy.spec), ...(endpoints.fault === undefined ? [] : [endpoints.fault])];
  const found = [endpoints, secrets, server];
  const referenceFaults = found.flatMap(({ referenceFault }) => referenceFault ?? []);
  const common = { faults: faults.map(invalid), referenceFaults };
  if (faults.length === 0 && endpoints.value && secrets.value && server.value !== undefined) {
    const session = loginBackendKey(policy, endpoints.value);
    const value = loginOf(spec, { policy, session, server: server.value, endpoints: endpoints.value });
    return { ...common, value, backends: [...new Set([session, server.value])] };
  }
  const isUnavailable = faults.length === 0 && found.every(({ value, isLate }) => value !== undefined || isLate);
  return { ...common, ...(isUnavailable && { isUnavailable }) };
}

interface Parts {
  readonly policy: PartDeps['policy'];
  readonly session: string;
  readonly server: string;
  readonly endpoints: NonNullable<FoundEndpoints['value']>;
}

function loginOf(spec: OidcSpec, { policy, session, server, endpoints }: Parts): ir.Oidc {
  const { client, scopes = [], resources, redirectPath, redirectURL, logout, forward = {} } = spec;
  const id = loginSessionId(sessionOf(spec, policy));
  return {
    session,
    server,
    endpoints,
    clientId: client.id,
    scopes: [...new Set(['openid', ...scopes])],
    ...(resources && { resources: [...new Set(resources)] }),
    redirectPath: redirectURL === undefined ? (redirectPath ?? defaultRedirectPath) : new URL(redirectURL).pathname,
    ...(redirectURL !== undefined && { redirectURL }),
    ...(logout && { logout: { path: logout.path, ...(logout.redirectURL && { redirectURL: logout.redirectURL }) } }),
    cookies: cookiesOf(spec, id),
    ...(spec.lifetimes && { lifetimes: lifetimesOf(spec.lifetimes) }),
    denyRedirect: (spec.denyRedirect ?? []).map(conditionOf),
    passThrough: (spec.passThrough ?? []).map(conditionOf),
    forward: {
      accessToken: forward.accessToken ?? false,
      ...(forward.idTokenHeader !== undefined && { idTokenHeader: forward.idTokenHeader.toLowerCase() }),
      cookies: forward.cookies ?? false,
    },
  };
}

/** By what their names begin with, browsers take them from this host, or this domain, alone. */
const cookiesOf = ({ cookies: { domain, sameSite } = {} }: OidcSpec, id: string): ir.LoginCookies => ({
  ...(domain === undefined ? { prefix: `__Host-gw-${id}-` } : { prefix: `__Secure-gw-${id}-`, domain }),
  ...(sameSite === 'None' && { crossSite: true }),
});

function lifetimesOf(spec: NonNullable<OidcSpec['lifetimes']>): ir.LoginLifetimes {
  const [accessTokenMs, refreshTokenMs, signInMs] = [spec.accessToken, spec.refreshToken, spec.signIn].map((text) =>
    parseDurationMs(text ?? ''),
  );
  return {
    ...(accessTokenMs !== undefined && { accessTokenMs }),
    ...(refreshTokenMs !== undefined && { refreshTokenMs }),
    ...(signInMs !== undefined && { signInMs }),
  };
}

function conditionOf({ path, header }: ConditionSpec): ir.LoginCondition {
  if (path) {
    const match: ir.PathMatch =
      path.exact === undefined
        ? { kind: 'prefix', value: withoutSlash(path.prefix ?? '/') }
        : { kind: 'exact', value: path.exact };
    return { kind: 'path', match };
  }
  const { name = '', value, prefix } = header ?? {};
  const match = matchOf(value, prefix);
  return { kind: 'header', name: name.toLowerCase(), ...(match && { match }) };
}

const withoutSlash = (prefix: string): string =>
  prefix.length > 1 && prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;

function matchOf(value: string | undefined, prefix: string | undefined): ir.ValueMatch | undefined {
  if (value !== undefined) return { kind: 'exact', value };
  return prefix === undefined ? undefined : { kind: 'regex', value: `${ir.literalPattern(prefix)}.*` };
}

function faultsOf(spec: OidcSpec, { jwt, satisfy, overridable = [] }: Spec): string[] {
  const { redirectURL, cookies, logout, denyRedirect = [], passThrough = [] } = spec;
  const redirectPath = spec.redirectPath ?? (redirectURL && pathOf(redirectURL)) ?? defaultRedirectPath;
  const paths = [
    [redirectURL === undefined ? 'redirectPath' : 'redirectURL', redirectPath],
    ...(logout ? [['logout.path', logout.path]] : []),
  ] as const;
  const tokensPart = satisfy === 'Any' ? 'any' : 'jwt';
  const isOnDomain = redirectURL === undefined || isWithin(redirectURL, cookies?.domain);
  return [
    ...paths.flatMap(([field, path = '']) =>
      hasDotSegments(path) || path.includes('//')
        ? [`oidc.${field} has a segment ., .. or none: write the path without`]
        : [],
    ),
    ...(logout?.path === redirectPath
      ? ['oidc.logout.path is where the provider sends browsers to: choose another']
      : []),
    ...(isOnDomain ? [] : [`oidc.redirectURL is on no host of cookies.domain ${cookies?.domain ?? ''}`]),
    ...writtenHeaderFault('oidc.forward.idTokenHeader', spec.forward?.idTokenHeader),
    ...headerNameFaults('denyRedirect', denyRedirect),
    ...headerNameFaults('passThrough', passThrough),
    ...(passThrough.length > 0 && (!jwt || jwt.optional)
      ? ['oidc.passThrough leaves requests to jwt: demand one, without optional']
      : []),
    ...(passThrough.length > 0 && overridable.includes(tokensPart) && !overridable.includes('oidc')
      ? [`oidc.passThrough leaves requests to ${tokensPart}: list it in overridable only together with oidc`]
      : []),
  ];
}

const headerNameFaults = (field: string, conditions: readonly ConditionSpec[]): string[] =>
  headerFaults(
    `oidc.${field}`,
    conditions.flatMap(({ header }) => header?.name ?? []),
  );

const pathOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).pathname : undefined);

function isWithin(url: string, domain: string | undefined): boolean {
  if (domain === undefined || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === domain || hostname.endsWith(`.${domain}`);
}
