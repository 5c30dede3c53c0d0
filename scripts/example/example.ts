/** A header name in lower case to its value. */
type Headers = Readonly<Record<string, string>>;

/** What the answer to a request has to be. Parts left out are not looked at. */
export interface Expectation {
  readonly status: number;
  /** `grpc-status` of a gRPC call. */
  readonly grpcStatus?: number;
  /** Name of the Service whose endpoint answered. */
  readonly backend?: string;
  /** Path and query that the backend saw. */
  readonly path?: string;
  /** Request headers that the backend saw. */
  readonly sees?: Headers;
  /** Response headers. */
  readonly headers?: Headers;
  /** Names of response headers that must not be there. */
  readonly without?: readonly string[];
  /** Backends that get a copy of the request beside the one that answers. */
  readonly copies?: readonly string[];
  /** Common name of the certificate that was served. */
  readonly certificate?: string;
  /** With `repeat`: the share of answers that a backend gave, as least and most. */
  readonly shares?: Readonly<Record<string, readonly [number, number]>>;
}

/** One request to the gateway. Ports are those written in the example's YAML. */
export interface ExampleRequest {
  readonly scheme?: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  /** Sent as a gRPC call with an empty message, over HTTP/2. */
  readonly grpc?: boolean;
  readonly headers?: Headers;
  /** Server name of the TLS handshake; the host when left out. */
  readonly sni?: string;
  readonly repeat?: number;
  readonly expect: Expectation;
}

/** A backend that is reached by TLS: its certificate, and the ConfigMap that tells who signed it, are made for the run. */
export interface TlsBackend {
  readonly service: string;
  readonly hostname: string;
  /** Name of the ConfigMap, in namespace default. */
  readonly authorities: string;
}

/** What an example's `example.ts` exports as `example`. */
export interface Example {
  /** Secrets made for the run, in namespace default: YAML in a repository should hold no keys. */
  readonly certificates?: readonly { readonly secret: string; readonly hostnames: readonly string[] }[];
  readonly tlsBackends?: readonly TlsBackend[];
  /** Names of Services whose backends speak gRPC. */
  readonly grpcBackends?: readonly string[];
  readonly requests: readonly ExampleRequest[];
}
