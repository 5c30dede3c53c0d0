import type { HashKey } from './backend-tuning.ts';
import type { Tracing } from './client-settings.ts';
import type { Header, RouteFilters } from './route-filters.ts';
import type { RouteMatch } from './route-match.ts';
import type { Session } from './session.ts';
import type { TrafficSources } from './traffic.ts';

/** What takes the place of each match of an expression of RE2; `\\N` stands for a group. */
export interface RegexReplacement {
  readonly pattern: string;
  readonly value: string;
}

/**
 * `full` replaces the whole path; `prefix` replaces the matched prefix `from`, which is the rule's own PathPrefix; `regex` replaces all that the
 * expression matches. The query is kept.
 */
export type PathRewrite =
  | { readonly kind: 'full'; readonly value: string }
  | { readonly kind: 'prefix'; readonly from: string; readonly value: string }
  | ({ readonly kind: 'regex' } & RegexReplacement);

/** Where Host comes from: a header of the request, without which it stays as it is, or the path without its query. */
export type HostSource =
  | { readonly kind: 'header'; readonly name: string }
  | ({ readonly kind: 'path' } & RegexReplacement);

export interface UrlRewrite {
  readonly host?: string;
  /** In place of `host`. */
  readonly hostFrom?: HostSource;
  /** With `hostFrom`: the Host that it replaces goes into X-Forwarded-Host. */
  readonly forwardsHost?: true;
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
  /** Beside those of the rule; servers that authorize requests are asked after the rule's. */
  readonly filters?: RouteFilters;
  /** Instead of the rule's rewrite, part by part. */
  readonly rewrite?: UrlRewrite;
  /** Which of the backend's endpoints gets a request; which backend gets it is for the weights alone to say. */
  readonly session?: Session;
  /** Undefined: as by default. */
  readonly retries?: RetryLimit;
}

/**
 * What a backend allows of the retries that every request has by default: those of requests that no endpoint has processed, or none.
 * By default a safe method (RFC 9110 §9.2.1) is also repeated when its connection ended without an answer.
 */
export type RetryLimit = 'notProcessed' | 'never';

/** `reset`: it ended without an answer; `gatewayError`: 502, 503 or 504; the others are statuses of gRPC. */
export type RetryEvent =
  | 'reset'
  | 'gatewayError'
  | 'cancelled'
  | 'deadlineExceeded'
  | 'internal'
  | 'resourceExhausted'
  | 'unavailable';

/** When a request is sent to a backend once more: it got no connection, was rejected before it was looked at, or was answered with one of `codes`. */
export interface Retry {
  readonly codes: readonly number[];
  /** What else it is sent again after. */
  readonly on?: readonly RetryEvent[];
  /** Beside the first one. Zero: never, not even where requests would be tried again by default. */
  readonly attempts: number;
  /** The shortest wait grows from about this, at random. Undefined: the proxy's own choice. */
  readonly backoffMs?: number;
  /** After so many at endpoints of one priority the next one is for the following. Undefined: as endpoints are well. */
  readonly perPriority?: number;
  /** The longest wait. Undefined: ten times `backoffMs`. */
  readonly maxBackoffMs?: number;
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
  /** Undefined: the query is kept. */
  readonly stripQuery?: boolean;
  readonly statusCode: number;
}

export interface RespondAction {
  readonly kind: 'respond';
  readonly status: number;
  /** What the rule wants to be answered. Undefined: the proxy answers because it has nothing else to do. */
  readonly answer?: DirectAnswer;
}

export interface DirectAnswer {
  /** They take the place of the proxy's own. */
  readonly headers: readonly Header[];
  readonly body?: string;
}

export type RouteAction = ForwardAction | RedirectAction | RespondAction;

/** What both a rule and its policies may say of its forwarded requests. Times in milliseconds; 0 = no limit. */
export interface RuleSettings {
  /** For the whole request. Undefined: none. */
  readonly requestTimeoutMs?: number;
  /** For one try at a backend. */
  readonly backendRequestTimeoutMs?: number;
  /** Without a byte in either direction. Undefined: as the listener has it. */
  readonly streamIdleTimeoutMs?: number;
  /** Whatever happens on the stream. Undefined: none. */
  readonly maxStreamDurationMs?: number;
  /** Undefined: as by default, within what each backend allows. */
  readonly retry?: Retry;
  /** What an endpoint is chosen by at backends that leave it to routes; all of them together count. */
  readonly hash?: readonly HashKey[];
  readonly tracing?: RuleTracing;
  /** Undefined: as the listener has it. */
  readonly accessLog?: RuleLog;
  readonly upgrades?: RuleUpgrades;
}

/** What else than requests of HTTP connections may carry. */
export interface RuleUpgrades {
  /** Protocols that clients may change to, in lower case: these and no others. Undefined: as the listener has it. */
  readonly protocols?: readonly string[];
  /** CONNECT opens a tunnel to an endpoint of the rule's own backends, whatever the request names. */
  readonly tunnels?: true;
}

/** Which requests are logged of those that a listener with AccessLog.byRoute logs, and what is added to their lines. All that is there must hold. */
export interface RuleLog {
  /** None. */
  readonly off?: true;
  readonly minStatus?: number;
  readonly maxStatus?: number;
  readonly minDurationMs?: number;
  readonly tags?: readonly { readonly name: string; readonly value: string }[];
}

/** Of spans, in place of what the listener has; tags are added. A listener without tracing makes none. */
export type RuleTracing = Pick<Tracing, 'samplingPercent' | 'tags' | 'spanName'>;

/** What is laid over what the proxy would be sent for the action of forwarded requests, in its own words, without faults. */
export interface RoutePatch {
  /** `NAMESPACE/NAME|ROUTE`, of the object that says it. */
  readonly id: string;
  readonly routeAction: object;
}

/** What one rule of a route does; shared by all of the rule's matches. */
export interface RouteRule extends RuleSettings {
  readonly patch?: RoutePatch;
  readonly filters?: RouteFilters;
  /** Of `filters.traffic`. */
  readonly trafficSources?: TrafficSources;
  readonly rewrite?: UrlRewrite;
  readonly action: RouteAction;
}

/** One match of one rule of one route, at home in a virtual host. */
export interface Route {
  /** `httproute/NAMESPACE/NAME/rule/N/match/N`, or `grpcroute/…`: who is behind it, for access logs, statistics and NACK attribution. */
  readonly id: string;
  readonly match: RouteMatch;
  readonly rule: RouteRule;
}
