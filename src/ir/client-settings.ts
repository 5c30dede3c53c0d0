/** How proxies treat clients, where it differs from the defaults of an edge proxy. Times in milliseconds, 0 is no limit. */

import type { Cidr } from './clients.ts';
import type { HeaderEdit } from './header-edits.ts';

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
  readonly signatureAlgorithms?: readonly string[];
  /** How sessions may be continued; undefined: in both ways. */
  readonly resumption?: 'tickets' | 'ids' | 'none';
}

export interface ClientTimeouts {
  readonly requestHeadersMs?: number;
  readonly requestMs?: number;
  readonly streamIdleMs?: number;
  readonly connectionIdleMs?: number;
  readonly maxConnectionDurationMs?: number;
  /** Of one request with its whole answer. */
  readonly maxStreamDurationMs?: number;
}

export interface ClientLimits {
  readonly requestHeadersKiB?: number;
  readonly requestHeaders?: number;
  readonly requestsPerConnection?: number;
}

/** How names of headers are written in HTTP/1.1; `Preserve`: as in the message that is passed on. */
export type HeaderCase = 'Proper' | 'Preserve';

export interface Http1Settings {
  /** Requests of HTTP/1.0 are served. `defaultHost`: those without a Host are for it. */
  readonly http10?: { readonly defaultHost?: string };
  /** Undefined: in lower case. */
  readonly headerCase?: HeaderCase;
  /** Trailers are passed on. */
  readonly trailers?: true;
  /** Of clients: protocols to which they may change beside WebSockets, in lower case. */
  readonly upgrades?: readonly string[];
  /** Of clients: protocols that they ask for in vain. */
  readonly ignoredUpgrades?: readonly string[];
}

/** A connection without an answer to a ping is closed. */
export interface Http2Keepalive {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

export interface Http2Settings {
  readonly maxConcurrentStreams?: number;
  readonly initialStreamWindowBytes?: number;
  readonly initialConnectionWindowBytes?: number;
  /** What is not valid ends its stream, and not the connection. */
  readonly invalidEndsStream?: true;
  readonly keepalive?: Http2Keepalive;
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
  /** Sent with each call, such as a token. */
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

/** Spans for requests. */
export interface Tracing {
  readonly receiver: OtlpReceiver;
  /** How spans travel; undefined: by OTLP. `path`: of a Zipkin's API. */
  readonly by?: { readonly kind: 'zipkin'; readonly path: string } | { readonly kind: 'datadog' };
  /** Of requests whose client has not decided. */
  readonly samplingPercent: number;
  readonly serviceName: string;
  /** Names of headers that become attributes. */
  readonly requestHeaders: readonly string[];
  /** Attributes with names of their own. */
  readonly tags?: readonly SpanTag[];
  /** As AccessLog.text; undefined: as Envoy names them. */
  readonly spanName?: string;
}

/** An attribute that is the same for all spans, or the value of a header, with what stands for requests without it. */
export type SpanTag =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly header: string; readonly otherwise?: string }
  | { readonly name: string; readonly attribute: SpanAttribute };

/** What is known of a request, by names of OpenTelemetry. */
export type SpanAttribute =
  | 'client.address'
  | 'http.request.method'
  | 'http.response.status_code'
  | 'http.route'
  | 'url.path'
  | 'user_agent.original';

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

/** Headers by which backends learn how the client spoke to the proxy. */
export type ForwardedHeader =
  | 'X-Real-IP'
  | 'X-Forwarded-Host'
  | 'X-Forwarded-Port'
  | 'X-Forwarded-Scheme'
  | 'X-Scheme'
  | 'X-Original-Forwarded-For'
  | 'X-JA3-Fingerprint'
  | 'X-JA4-Fingerprint';

/** What clients write into these headers is replaced; what known proxies write is kept. */
export interface ForwardedHeaders {
  /** Undefined: the connection's address is added to X-Forwarded-For. */
  readonly forwardedFor?: 'Replace' | 'Keep';
  readonly add: readonly ForwardedHeader[];
}

/** How a request gets its X-Request-ID. Undefined of `mode`: each gets a new one. */
export interface RequestIds {
  readonly mode?: 'PreserveOrGenerate' | 'Preserve' | 'None';
  /** Answers have it too. */
  readonly inResponse?: true;
}

/** Of one chain of HTTP. */
export interface ClientSettings {
  readonly timeouts?: ClientTimeouts;
  readonly limits?: ClientLimits;
  readonly http1?: Http1Settings;
  readonly http2?: Http2Settings;
  /** Of requests before anything else looks at them: only text and headers of the request are in its values. */
  readonly requestHeaders?: HeaderEdit;
  /** Of every answer, after all else. */
  readonly responseHeaders?: HeaderEdit;
  readonly forwarded?: ForwardedHeaders;
  readonly requestId?: RequestIds;
  /** Envoy's own headers are sent to both sides. */
  readonly envoyHeaders?: true;
  readonly underscores?: 'Reject' | 'Drop' | 'Allow';
  /** Of a Host that ends in a dot, as names in DNS may. */
  readonly trailingDot?: 'Strip' | 'Reject';
  /**
   * Backends learn what the client's certificate says; `certificate`: and get the certificate; `chain`: and all that it came with. `keep` and `append`, for
   * clients that are pinned: what the client says of a certificate stays, alone or with its own behind.
   */
  readonly clientCertificateHeader?: 'names' | 'certificate' | 'chain' | 'keep' | 'append';
  /** Backends see `https` where they are spoken to by TLS, and else `http`; undefined: as the client came. */
  readonly schemeOfBackend?: true;
  readonly path?: PathSettings;
  /** Requests for this path are answered by the proxy: 200, and 503 while it shuts down. */
  readonly healthPath?: string;
  /** Proxies before this one whose word in X-Forwarded-For is taken. */
  readonly trustedHops?: number;
  /** The same by their addresses, however many of them a request passes. Not with trustedHops. */
  readonly trustedProxies?: TrustedProxies;
  readonly tracing?: Tracing;
}
