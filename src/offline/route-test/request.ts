/** A request as a client would send it. */
export interface TestRequest {
  readonly method: string;
  /** Host or `:authority`, as the client writes it; a port may follow. */
  readonly host: string;
  /** The target with its query, beginning with a slash. */
  readonly path: string;
  /** Lower-case names, in order; a name may come more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The name in the TLS handshake, on a port with TLS. Undefined: the host without its port. */
  readonly serverName?: string;
  /** Address of the connection, if it is known. */
  readonly from?: string;
}

/** A request as routes see it. */
export interface SeenRequest {
  readonly method: string;
  /** In lower case, without port. */
  readonly host: string;
  /** As the client wrote it, without port. */
  readonly writtenHost: string;
  /** Normalized, without query. */
  readonly path: string;
  /** Without the question mark; undefined: there is none. */
  readonly query?: string;
  /** By its Content-Type. */
  readonly isGrpc: boolean;
  /** All values of a header; a match holds if it holds for one of them. */
  readonly header: (name: string) => readonly string[];
  /** The first value of a query parameter, if any. */
  readonly queryParam: (name: string) => readonly string[];
}

/** What the proxy answers before it looks for a route. `location` is where it sends the client instead. */
export interface Rejected {
  readonly status: number;
  readonly reason: string;
  readonly location?: string;
}
