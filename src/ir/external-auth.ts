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
