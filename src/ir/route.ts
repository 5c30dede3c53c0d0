import type { Session } from './session.ts';

/** How a value is compared. Regular expressions are RE2 and must match the whole value. */
export type ValueMatch =
  | { readonly kind: 'exact'; readonly value: string }
  | { readonly kind: 'regex'; readonly value: string };

/** `prefix` is by whole path segments, without a trailing slash unless it is `/` itself. */
export type PathMatch =
  | { readonly kind: 'exact'; readonly value: string }
  | { readonly kind: 'prefix'; readonly value: string }
  | { readonly kind: 'regex'; readonly value: string };

export interface NamedMatch {
  readonly name: string;
  readonly match: ValueMatch;
}

/** All parts must hold. Header names are lower case. */
export interface RouteMatch {
  readonly path: PathMatch;
  readonly method?: string;
  readonly headers: readonly NamedMatch[];
  readonly queryParams: readonly NamedMatch[];
  /** Of all requests only those of gRPC. */
  readonly grpc?: true;
}

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** Removed first, then set (replacing all values), then added (beside the present values). */
export interface HeaderChanges {
  readonly set: readonly Header[];
  readonly add: readonly Header[];
  readonly remove: readonly string[];
}

/** `full` replaces the whole path; `prefix` replaces the matched prefix `from`, which is the rule's own PathPrefix. The query is kept. */
export type PathRewrite =
  | { readonly kind: 'full'; readonly value: string }
  | { readonly kind: 'prefix'; readonly from: string; readonly value: string };

export interface UrlRewrite {
  readonly host?: string;
  readonly path?: PathRewrite;
}

/**
 * One share of a rule's requests. Without `backend` (a reference that does not resolve) the share is answered with
 * `invalidStatus` of the action. Header changes here run before those of the rule (Gateway API: backendRef filters
 * apply to requests that were chosen for that backend).
 */
export interface WeightedBackend {
  /** Key of an ir.Backend, or undefined when the reference is invalid. */
  readonly backend?: string;
  readonly weight: number;
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  /** Instead of the rule's rewrite, part by part. */
  readonly rewrite?: UrlRewrite;
  /** Beside those of the rule. */
  readonly mirrors?: readonly Mirror[];
  /** After those of the rule. */
  readonly externalAuth?: readonly ExternalAuth[];
  /** Which of the backend's endpoints gets a request; which backend gets it is for the weights alone to say. */
  readonly session?: Session;
}

/**
 * Somebody who is asked about each request, and without whose yes it goes no further: a no is answered as they say it,
 * and 403 when no answer can be had of them.
 */
export interface ExternalAuth {
  /** Key of an ir.Backend; undefined when the reference is invalid: every request is answered 500. */
  readonly backend?: string;
  /** `grpc` is Envoy's protocol for this (envoy.service.auth.v3); with `http` status 200 is a yes. */
  readonly protocol: 'grpc' | 'http';
  /** What they are called in requests to them, where these do not carry the client's Host. */
  readonly authority: string;
  /**
   * Headers of the client that they see, in lower case. Empty: all with `grpc`; with `http` none but Host, method, path,
   * Content-Length and Authorization, which they see in any case.
   */
  readonly requestHeaders: readonly string[];
  /** Headers of their answer that the backend sees, in lower case, with `http`. Empty: all that are not about the message itself. */
  readonly responseHeaders: readonly string[];
  /** Put before the path that they see, with `http`. Begins with a slash and does not end with one. */
  readonly pathPrefix?: string;
  /** They see the body too, and larger ones are answered 413. Undefined: they do not see it. */
  readonly maxBodyBytes?: number;
}

/** A copy of requests for another backend, whose answers nobody sees. */
export interface Mirror {
  /** Key of an ir.Backend. */
  readonly backend: string;
  /** How many of a million requests are copied: 0 to 1,000,000. */
  readonly perMillion: number;
}

/** Which other origins' scripts may use the answers. Answers preflight requests by itself. */
export interface Cors {
  /** Compared with the whole Origin header. */
  readonly origins: readonly ValueMatch[];
  /** `*` stands for every method; so it does below for every header. */
  readonly methods: readonly string[];
  readonly requestHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly credentials: boolean;
  readonly maxAgeSeconds: number;
}

/** When a request is sent to a backend once more: it got no connection, was refused before it was looked at, or was answered with one of `codes`. */
export interface Retry {
  readonly codes: readonly number[];
  /** Beside the first one. Zero: never, not even where requests would be tried again by default. */
  readonly attempts: number;
  /** The shortest wait grows from about this, at random. Undefined: the proxy's own choice. */
  readonly backoffMs?: number;
}

export interface ForwardAction {
  readonly kind: 'forward';
  /** Never empty; at least one weight is above zero, and at least one such share has a backend (else the action is `respond`). */
  readonly backends: readonly WeightedBackend[];
  /** HTTP status for shares without a backend: 500 for HTTPRoute, 503 for GRPCRoute (gRPC UNAVAILABLE). */
  readonly invalidStatus: number;
}

/** Every undefined part keeps the request's own. `statusCode` is one of 301, 302, 303, 307, 308. */
export interface RedirectAction {
  readonly kind: 'redirect';
  readonly scheme?: 'http' | 'https';
  readonly host?: string;
  /** The port to print; undefined: print none (Gateway API's port rules are already applied). */
  readonly port?: number;
  readonly path?: PathRewrite;
  readonly statusCode: number;
}

export interface RespondAction {
  readonly kind: 'respond';
  readonly status: number;
}

export type RouteAction = ForwardAction | RedirectAction | RespondAction;

/** What one rule of a route does; shared by all of the rule's matches. Filters are given in the order of the specification's effect, not of writing. */
export interface RouteRule {
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  readonly rewrite?: UrlRewrite;
  /** Milliseconds for the whole request; 0 = none. Undefined: none. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds for one try at a backend; 0 = none. */
  readonly backendRequestTimeoutMs?: number;
  readonly retry?: Retry;
  readonly mirrors?: readonly Mirror[];
  readonly cors?: Cors;
  /** Asked one after the other, after preflight requests were answered and before all else. */
  readonly externalAuth?: readonly ExternalAuth[];
  readonly action: RouteAction;
}

/** One match of one rule of one route, at home in a virtual host. */
export interface Route {
  /** `httproute/NAMESPACE/NAME/rule/N/match/N`, or `grpcroute/…`: who is behind it, for access logs, statistics and NACK attribution. */
  readonly id: string;
  readonly match: RouteMatch;
  readonly rule: RouteRule;
}
