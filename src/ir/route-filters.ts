import type { ValueMatch } from './route-match.ts';

/**
 * What filters do to the requests of a rule, or of one of its backends, and to the answers. A filter that does nothing is
 * not there. `graph` makes the fields in the order of its list of filters, since digests are made of them. What decides
 * the action itself, a redirect or a rewrite, is no part of it.
 */
export interface RouteFilters {
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  /** For forwarded requests. */
  readonly mirrors?: readonly Mirror[];
  /** For whole rules. */
  readonly cors?: Cors;
  /** Asked one after the other, after preflight requests were answered and before all else. */
  readonly externalAuth?: readonly ExternalAuth[];
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

/**
 * A server that authorizes each request. A request that it denies gets its answer; if it does not answer, the request gets
 * 403.
 */
export interface ExternalAuth {
  /** Key of an ir.Backend; undefined when the reference is invalid: every request is answered 500. */
  readonly backend?: string;
  /** `grpc` is Envoy's protocol for this (envoy.service.auth.v3); with `http` status 200 admits the request. */
  readonly protocol: 'grpc' | 'http';
  /** Host of requests to the server, where these do not carry the client's Host. */
  readonly authority: string;
  /**
   * Headers of the client that the server sees, in lower case. Empty: all with `grpc`; with `http` none but Host, method,
   * path, Content-Length and Authorization, which it sees in any case.
   */
  readonly requestHeaders: readonly string[];
  /** Headers of the server's answer that the backend sees, in lower case, with `http`. Empty: all that are not about the message itself. */
  readonly responseHeaders: readonly string[];
  /** Put before the path that the server sees, with `http`. Begins with a slash and does not end with one. */
  readonly pathPrefix?: string;
  /** The server sees the body too, and larger bodies are answered 413. Undefined: it does not see the body. */
  readonly maxBodyBytes?: number;
}

/** A copy of requests for another backend, whose answers are dropped. */
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
