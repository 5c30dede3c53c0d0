import type { Expression } from './expression.ts';
import type { ExternalAuth } from './external-auth.ts';
import type { EditedHeader } from './header-edits.ts';
import type { PathMatch, ValueMatch } from './route-match.ts';
import type { Sensitive } from './sensitive.ts';

/** What a policy of access may demand, in the order in which requests meet it. */
export const accessParts = [
  'clientIPs',
  'clientCertificates',
  'csrf',
  'oidc',
  'any',
  'apiKeys',
  'basicAuth',
  'jwt',
  'forwardAuth',
  'authorization',
] as const;
export type AccessPart = (typeof accessParts)[number];

/** Where a part may be demanded, in the order in which requests meet the levels of one part. */
export const accessLevels = ['gateway', 'listenerSet', 'listener', 'route', 'rule'] as const;
export type AccessLevel = (typeof accessLevels)[number];

/**
 * What one level (a Gateway, a route, a rule of it) demands of requests: all parts that are there must hold. Levels add up. A part that a user
 * demands and that is not available is `closed`, never left out.
 */
export interface Access {
  /** Parts of which something is not available: requests are answered 500. */
  readonly closed?: readonly AccessPart[];
  /** Those of `closed` that may become available by themselves: 503. */
  readonly unavailable?: readonly AccessPart[];
  /** Keys of backends that parts need and that no request is forwarded to, other than a server that is asked. */
  readonly others?: readonly string[];
  readonly clientIPs?: ClientIPs;
  readonly clientCertificates?: ClientCertificates;
  readonly csrf?: Csrf;
  readonly oidc?: Oidc;
  readonly any?: AnyOf;
  readonly apiKeys?: ApiKeys;
  readonly basicAuth?: BasicAuth;
  readonly jwt?: Jwt;
  readonly forwardAuth?: ForwardAuth;
  readonly authorization?: Authorization;
}

/** Those above routes, the outermost first. */
export const tableLevels = ['gateway', 'listenerSet', 'listener'] as const satisfies readonly AccessLevel[];
export type TableLevel = (typeof tableLevels)[number];

/** What one level demands of requests to listeners. */
export interface ListenerAccess extends Access {
  readonly level: TableLevel;
  /** Key of the policy `NAMESPACE/NAME`, or of the first of several: what is at fault if proxies reject it. Empty: it is of several that are closed. */
  readonly source: string;
  /** Parts that routes may switch off. */
  readonly overridable: readonly AccessPart[];
}

/** The same, in a route table. */
export interface TableAccess extends ListenerAccess {
  /** Those of the listeners that it is for, sorted; undefined: it is for all requests of the table. */
  readonly hostnames?: readonly string[];
}

/**
 * What requests meet that are looked up in a route table, whatever their route. A request is a listener's by the virtual host that was found for it:
 * the most specific hostname that covers it.
 */
export interface TableGuards {
  /** At least one, the outermost level first. */
  readonly demands: readonly TableAccess[];
  /**
   * Those of all listeners of the table, sorted; there if some of the demands are for a part of them. In a table of HTTPS, which is one listener's,
   * `misdirectedHosts` stands for all others of the port: a chain does not follow their number.
   */
  readonly hostnames?: readonly string[];
}

/** What a rule of a route adds to its Gateway's demands. */
export interface RouteAccess {
  /** Of policies for the whole route. */
  readonly route?: Access;
  /** Of policies for the rule alone. */
  readonly rule?: Access;
  /** Parts of the levels above that the rule does without. It counts where ListenerAccess.overridable has them. */
  readonly overrides?: readonly AccessPart[];
  /** Limits of the route count by whose a request is. */
  readonly identifies?: true;
}

/** A network: an address with its host bits 0, and how many leading bits count. */
export interface Cidr {
  readonly address: string;
  readonly prefixLength: number;
}

/**
 * Where the client's address is by the proxy's databases: all that is there must hold, and something is. An address that they do not have is nowhere. Without the database
 * that it takes, a condition lets no request in: where it would allow one it does not hold, and where it would deny one it does.
 */
export interface ClientLocation {
  /** ISO 3166-1, in capitals. */
  readonly country?: string;
  /** What follows the country in ISO 3166-2, in capitals. */
  readonly region?: string;
  /** In English. */
  readonly city?: string;
  /** Number of an autonomous system. */
  readonly asn?: number;
}

/** By the client's address, as seen behind the listener's trusted hops. */
export interface ClientIPs {
  /** Undefined: every address. Empty: none. */
  readonly allow?: readonly Cidr[];
  /** Goes before `allow`. */
  readonly deny: readonly Cidr[];
}

/** By the certificate of the client's connection, which the listener has verified. */
export interface ClientCertificates {
  /** Any of them; undefined: whatever the certificate says. */
  readonly names?: readonly CertificateName[];
}

/** What of a certificate is compared: one of its subject alternative names, or its whole subject as in RFC 2253. */
export interface CertificateName {
  readonly kind: 'dns' | 'uri' | 'email' | 'ip' | 'subject';
  /** Of an email address, an IP address and a subject always exact. */
  readonly match: ValueMatch;
}

/** Requests that change something must come from pages of their own host, or of these. */
export interface Csrf {
  readonly additionalOrigins: readonly ValueMatch[];
  /** Count what would be denied, and let it pass. */
  readonly shadow?: true;
  /** The same for this share of requests, from 1 to 99. */
  readonly shadowPercent?: number;
}

/**
 * One of them is enough, and there are at least two. An address that is allowed, or a certificate, needs nothing more. Else the request must meet the first of
 * basicAuth, apiKeys and jwt for which it has something to show, right or wrong: none is tried after another.
 */
export interface AnyOf {
  readonly allow?: readonly Cidr[];
  readonly clientCertificates?: ClientCertificates;
  readonly apiKeys?: ApiKeys;
  readonly basicAuth?: BasicAuth;
  /** Not `optional`. */
  readonly jwt?: Jwt;
}

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

/** Where a credential is looked for. */
export type CredentialSource =
  | { readonly kind: 'header'; readonly name: string; readonly prefix?: string }
  | { readonly kind: 'cookie'; readonly name: string }
  | { readonly kind: 'query'; readonly name: string };

export interface ApiKeys {
  /** JSON of `[[client, key], …]`, sorted by client and key, no key twice. */
  readonly keys: Sensitive;
  /** At least one. */
  readonly from: readonly CredentialSource[];
  /** Says the client's name to backends; removed from what clients send. */
  readonly identityHeader?: string;
  readonly forwardKey: boolean;
}

export interface BasicAuth {
  /** Lines of `USER:HASH`, at least one, no user twice, no comments. */
  readonly htpasswd: Sensitive;
  /** Some hashes are not `{SHA}`: the agent checks passwords, since Envoy cannot. */
  readonly hashed?: true;
  readonly realm?: string;
  /** Says the user's name to backends; removed from what clients send. */
  readonly userHeader?: string;
}

/** A token of any of the providers. */
export interface Jwt {
  /** Without a token requests pass; a bad one is denied all the same. */
  readonly optional: boolean;
  /** At least one. */
  readonly providers: readonly JwtProvider[];
}

export interface JwtProvider {
  /** `NAMESPACE/POLICY/PROVIDER`: where rules of any level find its claims. */
  readonly id: string;
  readonly issuer?: string;
  /** Any of them; empty: whatever the token says. */
  readonly audiences: readonly string[];
  /** A JWK Set in JSON, public keys alone. */
  readonly keys: string;
  /** Empty: `Authorization: Bearer`. */
  readonly from: readonly CredentialSource[];
  readonly forwardToken: boolean;
  readonly claimsToHeaders: readonly { readonly claim: readonly string[]; readonly header: string }[];
  /** Rules of some policy ask for its claims. */
  readonly claimsRead?: true;
}

/** A server that is asked about each request, as in ir.ExternalAuth. */
export interface ForwardAuth extends ExternalAuth {
  /** With `http`: the server is asked for this path, whatever the request's; with a query, if it has one. */
  readonly path?: string;
  /** With `http`: headers of the question alone. */
  readonly setHeaders?: readonly EditedHeader[];
  /** Clients with these addresses are let in without a question. Never empty. */
  readonly exceptClientIPs?: readonly Cidr[];
  /** Headers of the server's answer that the client sees although it is let in, in lower case. */
  readonly toClient: readonly string[];
  readonly timeoutMs: number;
  /** Without an answer requests pass. Else they are answered `statusOnError`. */
  readonly failOpen: boolean;
  readonly statusOnError: number;
  /** Where browsers go that the server answers 401. */
  readonly signIn?: SignIn;
}

export interface SignIn {
  /** A URL, or a path of the same host; its query may be there, a fragment not. */
  readonly url: string;
  /** Parameter of the query by which it learns the URL that was asked for. */
  readonly returnParam: string;
}

/** Deny rules first, then Allow rules; then `default`. */
export interface Authorization {
  readonly default: 'Allow' | 'Deny';
  readonly rules: readonly AuthorizationRule[];
}

export interface AuthorizationRule {
  /** `NAMESPACE/POLICY/RULE`, for response code details and logs. */
  readonly id: string;
  readonly action: 'Allow' | 'Deny';
  /** Any of them; empty: every request. */
  readonly when: readonly AccessCondition[];
}

/** All fields that are there must hold; of each list any entry. `not` turns the whole around. */
export interface AccessCondition {
  readonly methods?: readonly string[];
  readonly paths?: readonly PathMatch[];
  readonly headers?: readonly { readonly name: string; readonly values: readonly ValueMatch[] }[];
  readonly clientIPs?: readonly Cidr[];
  readonly clientLocations?: readonly ClientLocation[];
  readonly clientCertificates?: ClientCertificates;
  readonly jwt?: {
    /** JwtProvider.id. A provider that did not run matches nothing. */
    readonly provider: string;
    /** All of them. */
    readonly scopes: readonly string[];
    readonly claims: readonly { readonly path: readonly string[]; readonly values: readonly string[] }[];
  };
  /** In CEL. Where it is there, `not` is not. */
  readonly cel?: Expression;
  readonly not?: true;
}
