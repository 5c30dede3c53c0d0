import type { Schema } from './fake-provider.ts';
import type { MmdbData } from './mmdb.ts';
import type { RunningExample } from './running-example.ts';

/** A header name in lower case to its value. */
type Headers = Readonly<Record<string, string>>;

/** The share of answers that each backend gives, as least and most. */
export type Shares = Readonly<Record<string, readonly [number, number]>>;

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
  /** With `repeat`. */
  readonly shares?: Shares;
  /** With `repeat`: how many endpoints answer, all requests taken together. */
  readonly endpoints?: number;
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
  /** Sent by HTTP/3, to the UDP port of the same number. */
  readonly http3?: boolean;
  readonly headers?: Headers;
  /** Sent as body: so many bytes. */
  readonly bodyBytes?: number;
  /** Sent as body. */
  readonly body?: string;
  /** Server name of the TLS handshake; the host when left out. */
  readonly sni?: string;
  readonly repeat?: number;
  /** With `repeat`: cookies of answers are sent along from then on. */
  readonly keepsCookies?: boolean;
  /** With `repeat`: after half of the requests the endpoint that answered last is stopped, for good. */
  readonly stopsEndpoint?: boolean;
  readonly expect: Expectation;
}

/** A backend that is reached by TLS: its certificate, and the ConfigMap with its authority, are made for the run. */
export interface TlsBackend {
  readonly service: string;
  readonly hostname: string;
  /** Name of the ConfigMap, in namespace default. */
  readonly authorities: string;
}

/** One connection or datagram to the gateway, in which a line is sent. */
export interface StreamRequest {
  readonly stream: 'tcp' | 'tls' | 'udp';
  readonly port: number;
  /** Server name of the TLS handshake. */
  readonly sni?: string;
  readonly repeat?: number;
  readonly expect: {
    /** Name of the Service whose endpoint answered; when left out (and no `shares`), the connection is closed silently. */
    readonly backend?: string;
    /** Common name of the certificate that was served. */
    readonly certificate?: string;
    /** With `repeat`. */
    readonly shares?: Shares;
  };
}

/** How browsers log in. */
export interface Login {
  /** Of the provider, as the YAML writes it. */
  readonly provider: number;
  /** Of the HTTPS listener to which browsers come back. */
  readonly port: number;
  /** Hosts of the gateway at which browsers log in; the first is the one for people to open. */
  readonly hosts: readonly [string, ...string[]];
}

/** What an example's `example.ts` exports as `example`. */
export interface Example {
  /** A folder of the example with Ingresses of ingress-nginx, which are converted. */
  readonly ingresses?: string;
  /** `backends.allowedAddresses`: what names and addresses in its XBackends and AIServices may lead to. */
  readonly allowedAddresses?: readonly string[];
  /** `ingress.enabled`: its Ingresses are served. */
  readonly ingress?: boolean;
  /** `envoyPatches.enabled`: its EnvoyPatches are read. */
  readonly envoyPatches?: boolean;
  /** `extensions.lua`: its scripts run. */
  readonly scripts?: boolean;
  /** `extensions.wasm`: its modules run. */
  readonly modules?: boolean;
  /** Secrets made for the run: YAML in a repository should hold no keys. */
  readonly certificates?: readonly {
    readonly secret: string;
    /** `default` when left out. */
    readonly namespace?: string;
    readonly hostnames: readonly string[];
    /** Until they end; 90 when left out. */
    readonly days?: number;
  }[];
  /** What the database of places says of networks, by CIDR. It is made for the run, and stands for `/geo/city.mmdb`. */
  readonly places?: Readonly<Record<string, MmdbData>>;
  readonly tlsBackends?: readonly TlsBackend[];
  /** Names of Services whose backends say who may pass. */
  readonly authBackends?: readonly string[];
  /** Names of Services whose backends see and change requests. */
  readonly processorBackends?: readonly string[];
  /** Names of Services whose backend is the firewall of `examples/waf`. */
  readonly firewallBackends?: readonly string[];
  /** Names of Services whose backends speak gRPC. */
  readonly grpcBackends?: readonly string[];
  /** Services whose endpoints speak no HTTP but answer a line of TCP, or of TLS as one of these hosts. Endpoints of UDP need no word. */
  readonly streams?: Readonly<Record<string, 'tcp' | { readonly tls: readonly string[] }>>;
  /** Names of AIServices for which a fake provider of models is started, and its API. */
  readonly models?: Readonly<Record<string, Schema>>;
  /** Names of InferencePools for whose Pods fake model servers are started, and a picker of ours. */
  readonly pools?: readonly string[];
  /** A provider of OpenID Connect at `https://127.0.0.1:PORT` is started for it, and the ConfigMap `login-ca` made. */
  readonly login?: Login;
  readonly requests: readonly (ExampleRequest | StreamRequest)[];
  /** What is done when the requests are answered: lines for people, and what was not as it should be. */
  readonly after?: (running: RunningExample) => Promise<Outcome>;
}

export interface Outcome {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
}
