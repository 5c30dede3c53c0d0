import type { Http1Settings, Http2Settings, TlsParameters } from './client-settings.ts';

/** Both ends included. */
interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** How an endpoint is asked whether it is well. */
export type HealthProbe =
  | {
      readonly kind: 'http';
      readonly path: string;
      /** Undefined: the backend's own name. */
      readonly host?: string;
      readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST';
      /** Answers of one that is well, both ends included; empty: 200. */
      readonly statuses: readonly StatusRange[];
      /** Answers that do not fail an endpoint at once, but in a row. */
      readonly retriable?: readonly StatusRange[];
      readonly body?: string;
      /** A part of the answer's body. */
      readonly expectedBody?: string;
    }
  | { readonly kind: 'grpc'; readonly service?: string }
  | { readonly kind: 'tcp'; readonly send?: string; readonly receive?: string };

/** Each proxy asks each endpoint from time to time. */
export interface ActiveCheck {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Up to so long before the first probe, at random. */
  readonly initialJitterMs?: number;
  /** Up to this share of the interval longer, at random. */
  readonly jitterPercent?: number;
  /** Of each endpoint, in place of the one that gets requests. */
  readonly port?: number;
  readonly unhealthyThreshold: number;
  readonly healthyThreshold: number;
  readonly probe: HealthProbe;
}

/** Endpoints that fail requests are left out for a while. Of the counts, 0 is none. */
export interface PassiveCheck {
  readonly consecutive5xx: number;
  readonly consecutiveGatewayErrors: number;
  /** Failures to connect count by themselves; undefined: they are 5xx. */
  readonly consecutiveLocalOriginFailures?: number;
  readonly intervalMs: number;
  readonly baseEjectionMs: number;
  readonly maxEjectionMs: number;
  readonly maxEjectionPercent: number;
  /** Undefined: the share of failures does not count. */
  readonly failures?: FailureShare;
}

/** From which share of failed requests on an endpoint is left out, if there is enough to judge by. */
export interface FailureShare {
  readonly percent: number;
  readonly minRequests: number;
  readonly minEndpoints: number;
}

/** What one proxy may use at a time; no limit where nothing is said. */
export interface BackendLimits {
  readonly connections?: number;
  /** To each endpoint. */
  readonly endpointConnections?: number;
  readonly pendingRequests?: number;
  readonly requests?: number;
  readonly retries?: number;
  readonly requestsPerConnection?: number;
}

/** What identifies a client, so that it stays with an endpoint. */
export type HashKey =
  | { readonly kind: 'header'; readonly name: string }
  | {
      readonly kind: 'cookie';
      readonly name: string;
      /** Clients without it are given one that lasts so long; 0 is a session, undefined gives none. */
      readonly ttlMs?: number;
      readonly path?: string;
      /** Of one that is given. */
      readonly sameSite?: 'Strict' | 'Lax' | 'None';
      readonly domain?: string;
      readonly secure?: true;
      readonly partitioned?: true;
    }
  | { readonly kind: 'sourceIp' }
  | { readonly kind: 'queryParam'; readonly name: string }
  /** Without the query. */
  | { readonly kind: 'path' };

export interface SlowStart {
  readonly windowMs: number;
  readonly minWeightPercent: number;
}

/** Which endpoint is chosen. */
export type LoadBalancer =
  | { readonly kind: 'roundRobin' | 'leastRequest'; readonly slowStart?: SlowStart }
  | { readonly kind: 'random' }
  /** As an endpoint picker says, and else as `leastRequest`. */
  | { readonly kind: 'picked' }
  /** Without `key` routes say what counts (RuleSettings.hash); requests of others go to any endpoint. */
  | { readonly kind: 'hash'; readonly key?: HashKey; readonly tableSize: number };

/** Times in milliseconds. */
export interface BackendTimeouts {
  readonly connectMs?: number;
  /** Of one try, with its whole answer. */
  readonly requestMs?: number;
  readonly idleMs?: number;
  /** Of a connection, which is then drained. */
  readonly maxConnectionDurationMs?: number;
}

/** What is left out is the system's own. */
export interface TcpKeepalive {
  readonly probes?: number;
  readonly idleSeconds?: number;
  readonly intervalSeconds?: number;
}

/** By what a certificate is known: one of these is enough. */
export interface CertificatePins {
  /** SHA-256 in hexadecimal. */
  readonly certificates: readonly string[];
  /** SHA-256 of the SPKI in base64. */
  readonly publicKeys: readonly string[];
}

/** TLS to a backend, beyond what ir.BackendTls says. */
export interface TlsTuning extends Pick<TlsParameters, 'minVersion' | 'maxVersion' | 'cipherSuites'> {
  /** In place of its names and authorities; `none`: every certificate is accepted. */
  readonly verification?: CertificatePins | 'none';
}

/** Connections to endpoints. Of what is opened ahead of requests, 100 is none. */
export interface ConnectionSettings {
  readonly bufferBytes?: number;
  /** Of the system, in each direction. */
  readonly socketBufferBytes?: number;
  /** Connections to an endpoint in use, in percent of those that its requests need. */
  readonly preconnectPercent?: number;
  /** The same for endpoints that come next. */
  readonly preconnectNextPercent?: number;
}

/** How the name of a backend is resolved. */
export interface NameSettings {
  readonly refreshMs?: number;
  /** The answer does not say how long it is good for. */
  readonly ignoresTtl?: true;
  readonly family?: 'IPv4' | 'IPv6' | 'IPv6Preferred' | 'All';
}

/** How proxies treat a backend beyond what the Gateway API can say. */
export interface BackendTuning {
  readonly activeCheck?: ActiveCheck;
  readonly passiveCheck?: PassiveCheck;
  /** With fewer endpoints well than this, all get requests. */
  readonly panicPercent?: number;
  readonly limits?: BackendLimits;
  readonly loadBalancer?: LoadBalancer;
  readonly timeouts?: BackendTimeouts;
  readonly http1?: Pick<Http1Settings, 'headerCase' | 'trailers'>;
  readonly http2?: Http2Settings;
  /** Requests travel in the HTTP version that they came in. */
  readonly usesClientProtocol?: true;
  readonly tls?: TlsTuning;
  readonly connection?: ConnectionSettings;
  readonly names?: NameSettings;
  readonly keepalive?: TcpKeepalive;
  readonly proxyProtocol?: 'V1' | 'V2';
}
