/** How proxies treat clients, where it differs from the defaults of an edge proxy. Times in milliseconds, 0 is no limit. */

import type { Cidr } from './access.ts';

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

/** Proxies before this one, by the addresses of their connections. What others say in the name of a proxy is removed. */
export interface TrustedProxies {
  /** At least one, no network twice. */
  readonly networks: readonly Cidr[];
  /** They write the client's address into this header, in lower case; undefined: they add it to X-Forwarded-For. */
  readonly header?: string;
}

/** Of the entries of X-Forwarded-For so many count, from the end: so many of these proxies may be in a row. */
export const mostForwarded = 8;

/** Headers by which proxies say what they saw: those of connections that are none of theirs are removed. A prefix ends in a hyphen. */
export const forwardingHeaders: readonly string[] = ['x-forwarded-', 'forwarded', 'x-real-ip'];

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
  /** The same by their addresses, however many of them a request passes. Not with trustedHops. */
  readonly trustedProxies?: TrustedProxies;
  readonly tracing?: Tracing;
}
