import type { PathMatch, ValueMatch } from './route-match.ts';

/**
 * Browsers log in at a provider of OpenID Connect, and show what they got there in cookies that only proxies can make. Source: OpenID Connect Core
 * 1.0, 3.1; RFC 7636.
 */
export interface Oidc {
  /** Key of the ir.Backend that has the session's secrets. Policies with the same secrets and cookies share their logins. */
  readonly session: string;
  /** Key of the ir.Backend that is asked for tokens. */
  readonly server: string;
  /** https URLs of the provider. */
  readonly endpoints: { readonly authorization: string; readonly token: string; readonly endSession?: string };
  readonly clientId: string;
  /** `openid` among them. */
  readonly scopes: readonly string[];
  /** URIs. Source: RFC 8707. */
  readonly resources?: readonly string[];
  /** Where the provider sends browsers back to, at the host that was asked for unless there is a `redirectURL`, whose path it then is. */
  readonly redirectPath: string;
  readonly redirectURL?: string;
  readonly logout?: { readonly path: string; readonly redirectURL?: string };
  readonly cookies: LoginCookies;
  readonly lifetimes?: LoginLifetimes;
  /** Any of them: requests that are not logged in are answered 401, and not sent to the provider. */
  readonly denyRedirect: readonly LoginCondition[];
  /** Any of them: no login is demanded, and nothing of it is looked at. */
  readonly passThrough: readonly LoginCondition[];
  /** What backends get to see of a login. */
  readonly forward: { readonly accessToken: boolean; readonly idTokenHeader?: string; readonly cookies: boolean };
}

export interface LoginCookies {
  /** What all of their names begin with. */
  readonly prefix: string;
  /** They are for all hosts of this domain; undefined: for the host alone that was logged in to. */
  readonly domain?: string;
  /** Browsers send them from pages of other sites, too. Else by links alone. */
  readonly crossSite?: true;
}

export interface LoginLifetimes {
  /** Of an access token, where the provider does not say it. */
  readonly accessTokenMs?: number;
  /** Of a refresh token that does not say it itself. */
  readonly refreshTokenMs?: number;
  /** From being sent to the provider to coming back. */
  readonly signInMs?: number;
}

export type LoginCondition =
  | { readonly kind: 'path'; readonly match: PathMatch }
  /** Without a match: the header is there. */
  | { readonly kind: 'header'; readonly name: string; readonly match?: ValueMatch };
