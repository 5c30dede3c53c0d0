import type { CertificatePins, TcpKeepalive } from './backend-tuning.ts';
import type { ClientSettings, OtlpReceiver, TlsParameters } from './client-settings.ts';
import type { CertificateName } from './clients.ts';

/** Where a proxy binds. `address` is an IP address. */
export interface BindAddress {
  readonly address: string;
  readonly port: number;
}

/** How clients show who they are. */
export interface ChainClients {
  /** Certificates of trusted authorities in PEM. */
  readonly authorities: string;
  /** Only clients with a certificate of these come in; else one is asked for and whatever comes is let in. */
  readonly required: boolean;
  /** A certificate that is on one of these lists counts as one that is not verified, and so does one whose authority has no list there, or an ended one. */
  readonly revocation?: ChainRevocation;
  /** Only certificates with one of these alternative names count as verified. */
  readonly names?: readonly CertificateName[];
  /** Only these certificates count as verified. */
  readonly pins?: CertificatePins;
}

export interface ChainRevocation {
  /** Lists of revoked certificates in PEM. */
  readonly lists: string;
  /** Only the client's own certificate is looked up; else each of its chain. */
  readonly leafOnly?: true;
}

/** TLS as terminated by one filter chain. */
export interface ChainTls {
  /** The SNI names this chain is for; empty: every name no other chain has, and clients without SNI. */
  readonly serverNames: readonly string[];
  /** Keys of ir.Secret, at least one. A key whose secret is not in the gateway's secrets makes handshakes fail, and nothing else. */
  readonly certificates: readonly string[];
  /** Undefined: clients are not asked for a certificate. */
  readonly clients?: ChainClients;
  readonly parameters?: TlsParameters;
}

/** Where lines go. */
export interface AccessLogSinks {
  readonly stdout: boolean;
  readonly otlp?: OtlpReceiver;
  /** By Envoy's own protocol, `envoy.service.accesslog.v3`. `name`: of the log, as the receiver gets it. */
  readonly grpc?: { readonly receiver: OtlpReceiver; readonly name: string };
}

/** All that is there must hold. */
export interface LogCondition {
  readonly minStatus?: number;
  readonly maxStatus?: number;
  readonly minDurationMs?: number;
  /** Any of them. */
  readonly methods?: readonly string[];
  /** `name` in lower case; without `value`: with any. */
  readonly header?: { readonly name: string; readonly value?: string };
  /** An expression in CEL over Envoy's attributes, after it was checked. What goes wrong in it does not hold. */
  readonly cel?: string;
  /** A share of those that the rest holds for, at random. */
  readonly percent?: number;
}

/** What is written for each request, one line of JSON. */
export interface AccessLog {
  /** The line on standard output instead, with `%FIELD%` for fields, `%request_headers(NAME)%`, `%response_headers(NAME)%`, and `%%`. */
  readonly text?: string;
  /** Requests for which one of these holds; undefined: all. */
  readonly when?: readonly LogCondition[];
  /** Routes say by RuleLog which of their requests are logged, beside `when`. */
  readonly byRoute?: true;
  /** Names as Envoy's own log or OpenTelemetry has them, such as `response_code`; undefined: all that there are. */
  readonly fields?: readonly string[];
  /** Names of headers that are logged as well. */
  readonly requestHeaders?: readonly string[];
  readonly responseHeaders?: readonly string[];
  /** `NAMESPACE/NAME` of the Gateway; undefined where several Gateways share the port. */
  readonly gateway?: string;
  /** Where it goes; undefined: to standard output. */
  readonly sinks?: AccessLogSinks;
}

/** Each request's client address is looked up in the proxy's databases. */
export interface GeoLookup {
  /** At least one. */
  readonly databases: readonly ('location' | 'asn')[];
  /** Names in lower case of headers that backends get; what clients send by these names is removed. */
  readonly headers: Readonly<Partial<Record<GeoField, string>>>;
}

/** What is found: `organization` is who has the autonomous system. */
export const geoFields = ['country', 'region', 'city', 'asn', 'organization'] as const;
export type GeoField = (typeof geoFields)[number];

/** One Gateway API listener, or all HTTP listeners of a port together. */
export interface HttpChain {
  readonly kind: 'http';
  /** Unique within the listener: `http` or the Gateway listener's name. */
  readonly name: string;
  /** Id of the ir.RouteTable that says where requests go. */
  readonly table: string;
  readonly tls?: ChainTls;
  /** Some virtual host of the table authorizes requests before a route is chosen. */
  readonly preRoutingAuth?: true;
  readonly accessLog?: AccessLog;
  /** Requests are not counted by route, and failed ones are sent nowhere. */
  readonly traffic?: 'off';
  /** Failed requests are sent with the client's address. */
  readonly showsClients?: true;
  readonly client?: ClientSettings;
  readonly geo?: GeoLookup;
  readonly maxConnections?: number;
  /** Connections above maxConnections stay open so long, without an answer. */
  readonly closeDelayMs?: number;
  /** Answers offer HTTP/3 to clients (`alt-svc`). */
  readonly http3?: { readonly port: number; readonly maxAgeSeconds: number };
}

/** One Gateway API listener whose connections (or datagrams) are passed on as they are. */
export interface StreamChain {
  readonly kind: 'stream';
  /** The Gateway listener's name, unique within the listener. */
  readonly name: string;
  /** Id of the ir.StreamTable that says where they go. */
  readonly table: string;
  /** The table's hosts are SNI names. Else it has but the host `*`, and the chain is the listener's only one. */
  readonly sni: boolean;
  /** TLS ends here; without it the bytes go to the backend as the client sent them. */
  readonly tls?: ChainTls;
  /** Of each host. */
  readonly maxConnections?: number;
  readonly closeDelayMs?: number;
}

/**
 * Ends connections of these SNI names: of a chain that proxies reject, so that no wider chain of the port takes its
 * clients.
 */
export interface ClosedChain {
  readonly kind: 'closed';
  readonly name: string;
  /** Empty: every name no other chain has, and clients without SNI. */
  readonly serverNames: readonly string[];
  readonly table?: undefined;
  readonly tls?: undefined;
}

export type Chain = HttpChain | StreamChain | ClosedChain;

/** Identifies a chain within a gateway, where it is named without its listener. */
export const chainKey = (listener: string, chain: string): string => `${listener}|${chain}`;

/** What is laid over what the proxy would be sent for a port, and for its requests, in its own words, without faults. */
export interface ListenerPatch {
  /** `NAMESPACE/NAME|GATEWAY`, of the object that says it. */
  readonly id: string;
  readonly listener?: object;
  readonly connectionManager?: object;
}

/** One open port of a gateway's proxies. */
export interface Listener {
  readonly patch?: ListenerPatch;
  /** `http/80`, `https/443` (TLS listeners of the port included), `http3/443`, `tls/443`, `tcp/9000`, `udp/53`: unique within the gateway, stable over changes. */
  readonly key: string;
  /** `quic` is HTTP/3 on a UDP port. */
  readonly transport: 'tcp' | 'udp' | 'quic';
  readonly bind: BindAddress;
  readonly chains: readonly Chain[];
  /** Connections begin with a PROXY protocol header; `optional`: or without one. */
  readonly proxyProtocol?: 'required' | 'optional';
  readonly bufferBytes?: number;
  /** Connections that are taken in before other work is done. */
  readonly acceptsPerEvent?: number;
  readonly keepalive?: TcpKeepalive;
  /** Of HTTP/3: requests at a time on one connection. */
  readonly maxConcurrentStreams?: number;
}
