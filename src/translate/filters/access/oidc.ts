import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  CookieConfig_SameSite,
  type CookieConfigsSchema,
  type HeaderMatcherSchema,
  type OAuth2CredentialsSchema,
  OAuth2Schema,
  packAny,
} from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import { adsSource, clusterName, durationOf, loginSecretName, stringMatcher } from '../../resource/index.ts';

type HeaderMatcher = MessageInitShape<typeof HeaderMatcherSchema>;

/** Of asking for tokens. */
const timeoutMs = 10_000;
/** Where the provider does not say how long a token is good for. Source: RFC 6749, 5.1, which only recommends that it does. */
const defaultExpiresMs = 3_600_000;
/** Browsers keep no cookie whose name and value together are longer than 4,096 bytes. Source: RFC 6265bis, 5.7. */
const maxCookieBytes = 3800;
/** Envoy wants a path for logging out. No request has this one. */
const noPath = 'none';

/** Browsers have to log in, else they are sent to the provider. */
export function oidc(login: ir.Oidc): Any {
  const { server, endpoints, scopes, resources = [], redirectPath, redirectURL, logout, cookies, forward } = login;
  return packAny(
    OAuth2Schema,
    create(OAuth2Schema, {
      config: {
        tokenEndpoint: {
          uri: endpoints.token,
          httpUpstreamType: { case: 'cluster', value: clusterName(server) },
          timeout: durationOf(timeoutMs),
        },
        authorizationEndpoint: endpoints.authorization,
        ...(logout && endpoints.endSession !== undefined && endSession(endpoints.endSession, logout.redirectURL)),
        credentials: credentialsOf(login),
        redirectUri: escaped(redirectURL ?? '') || `https://%REQ(:AUTHORITY)%${escaped(redirectPath)}`,
        redirectPathMatcher: exactPath(redirectPath),
        signoutPath: exactPath(logout?.path ?? noPath),
        authScopes: [...scopes],
        resources: [...resources],
        forwardBearerToken: forward.accessToken,
        // Else a password or a token for another part would be taken away.
        preserveAuthorizationHeader: !forward.accessToken,
        ...(forward.idTokenHeader !== undefined && { forwardIdToken: { header: forward.idTokenHeader } }),
        passThroughMatcher: login.passThrough.map(conditionOf),
        denyRedirectMatcher: [unencrypted, ...login.denyRedirect.map(conditionOf)],
        useRefreshToken: true,
        ...lifetimesOf(login.lifetimes),
        cookieConfigs: cookies.crossSite ? crossSiteCookies : laxCookies,
        tokenCookieChunking: { maxCookieSize: maxCookieBytes },
        allowedRedirectDomains: cookies.domain === undefined ? [] : [cookies.domain, `*.${cookies.domain}`],
      },
    }),
  );
}

function credentialsOf({
  session,
  clientId,
  cookies: { prefix, domain = '' },
}: ir.Oidc): MessageInitShape<typeof OAuth2CredentialsSchema> {
  const secret = (name: 'client' | 'hmac') => ({ name: loginSecretName(session, name), sdsConfig: adsSource() });
  return {
    clientId,
    tokenSecret: secret('client'),
    tokenFormation: { case: 'hmacSecret', value: secret('hmac') },
    cookieNames: {
      bearerToken: `${prefix}access`,
      oauthHmac: `${prefix}hmac`,
      oauthExpires: `${prefix}expires`,
      idToken: `${prefix}id`,
      refreshToken: `${prefix}refresh`,
      oauthNonce: `${prefix}nonce`,
      codeVerifier: `${prefix}verifier`,
    },
    cookieDomain: domain,
  };
}

function lifetimesOf({ accessTokenMs = defaultExpiresMs, refreshTokenMs, signInMs }: ir.LoginLifetimes = {}) {
  return {
    defaultExpiresIn: durationOf(accessTokenMs),
    ...(refreshTokenMs !== undefined && { defaultRefreshTokenExpiresIn: durationOf(refreshTokenMs) }),
    ...(signInMs !== undefined && {
      csrfTokenExpiresIn: durationOf(signInMs),
      codeVerifierTokenExpiresIn: durationOf(signInMs),
    }),
  };
}

function cookieConfigs(sameSite: CookieConfig_SameSite): MessageInitShape<typeof CookieConfigsSchema> {
  const cookie = { sameSite, path: '/' };
  return {
    bearerTokenCookieConfig: cookie,
    oauthHmacCookieConfig: cookie,
    oauthExpiresCookieConfig: cookie,
    idTokenCookieConfig: cookie,
    refreshTokenCookieConfig: cookie,
    oauthNonceCookieConfig: cookie,
    codeVerifierCookieConfig: cookie,
  };
}

/** Not Strict: the provider's redirect comes from another site, and such cookies would not come with it. */
const laxCookies = cookieConfigs(CookieConfig_SameSite.LAX);
const crossSiteCookies = cookieConfigs(CookieConfig_SameSite.NONE);

const endSession = (endSessionEndpoint: string, redirectURL: string | undefined) => ({
  endSessionEndpoint,
  postLogoutRedirectUri: {
    config:
      redirectURL === undefined
        ? { case: 'disabled' as const, value: true }
        : { case: 'uri' as const, value: escaped(redirectURL) },
  },
});

/** A text that Envoy takes for a format. */
const escaped = (text: string): string => text.replaceAll('%', '%%');

const exactPath = (value: string) => ({
  rule: { case: 'path' as const, value: stringMatcher({ kind: 'exact', value }) },
});

/** Browsers send no cookie of a login by plain HTTP: they would be sent to the provider again and again. */
const unencrypted = header(':scheme', { kind: 'exact', value: 'http' });

function conditionOf(condition: ir.LoginCondition): HeaderMatcher {
  if (condition.kind === 'path') return header(':path', { kind: 'regex', value: withQuery(condition.match) });
  const { name, match } = condition;
  return match ? header(name, match) : { name, headerMatchSpecifier: { case: 'presentMatch', value: true } };
}

function header(name: string, match: ir.ValueMatch): HeaderMatcher {
  return { name, headerMatchSpecifier: { case: 'stringMatch', value: stringMatcher(match) } };
}

/** A pattern for a path as requests have it. A prefix is by whole segments, as in routes. */
function withQuery({ kind, value }: ir.PathMatch): string {
  if (kind === 'regex') return `(${value})(\\?.*)?`;
  if (kind === 'exact') return `${ir.literalPattern(value)}(\\?.*)?`;
  return value === '/' ? '.*' : `${ir.literalPattern(value)}([/?].*)?`;
}
