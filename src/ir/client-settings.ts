/** How proxies treat clients, where it differs from the defaults of an edge proxy. Times in milliseconds, 0 is no limit. */

export type TlsVersion = '1.0' | '1.1' | '1.2' | '1.3';

/** What handshakes of clients may come to. */
export interface TlsParameters {
  readonly minVersion?: TlsVersion;
  readonly maxVersion?: TlsVersion;
  /** Best first, as are the others. */
  readonly cipherSuites?: readonly string[];
  readonly curves?: readonly string[];
  /** Of HTTPS. */
  readonly alpnProtocols?: readonly string[];
  readonly handshakeTimeoutMs?: number;
}

export interface ClientTimeouts {
  readonly requestHeadersMs?: number;
  readonly requestMs?: number;
  readonly streamIdleMs?: number;
  readonly connectionIdleMs?: number;
  readonly maxConnectionDurationMs?: number;
}

export interface ClientLimits {
  readonly requestHeadersKiB?: number;
  readonly requestHeaders?: number;
  readonly requestsPerConnection?: number;
}

export interface Http2Settings {
  readonly maxConcurrentStreams?: number;
  readonly initialStreamWindowBytes?: number;
  readonly initialConnectionWindowBytes?: number;
}

export interface PathSettings {
  readonly normalize?: boolean;
  readonly mergeSlashes?: boolean;
  readonly escapedSlashes?: 'UnescapeAndRedirect' | 'UnescapeAndForward' | 'Reject' | 'Keep';
}

/** The receiver of OpenTelemetry by gRPC. */
export interface OtlpReceiver {
  /** Key of the ir.Backend. */
  readonly backend: string;
  /** What it is called by: servers reject names with slashes, which backends have. */
  readonly authority: string;
}

/** Spans for requests. */
export interface Tracing {
  readonly receiver: OtlpReceiver;
  /** Of requests whose client has not decided. */
  readonly samplingPercent: number;
  readonly serviceName: string;
  /** Names of headers that become attributes. */
  readonly requestHeaders: readonly string[];
}

/** Of one chain of HTTP. */
export interface ClientSettings {
  readonly timeouts?: ClientTimeouts;
  readonly limits?: ClientLimits;
  readonly http2?: Http2Settings;
  readonly underscores?: 'Reject' | 'Drop' | 'Allow';
  /** Of a Host that ends in a dot, as names in DNS may. */
  readonly trailingDot?: 'Strip' | 'Reject';
  /** Backends learn what the client's certificate says. */
  readonly clientCertificateHeader?: true;
  readonly path?: PathSettings;
  /** Proxies before this one whose word in X-Forwarded-For is taken. */
  readonly trustedHops?: number;
  readonly tracing?: Tracing;
}
