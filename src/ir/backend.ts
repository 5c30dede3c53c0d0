import type { AiRoute, AiService } from './ai.ts';
import type { BackendTuning } from './backend-tuning.ts';
import type { AskedAs } from './keys.ts';
import type { Pool } from './pool.ts';
import type { Secret } from './secret.ts';
import type { Sensitive } from './sensitive.ts';

/** How a backend is spoken to, with or without TLS. `http1` is also what WebSocket backends get; `tcp` is bytes of whatever meaning. */
export type BackendProtocol = 'http1' | 'h2c' | 'tcp' | 'udp';

/** A name that a certificate must have, as its subjectAltName. */
export interface SubjectName {
  readonly kind: 'dns' | 'uri';
  readonly value: string;
}

/** TLS towards a backend. */
export interface BackendTls {
  /** SNI. Empty: the name that the request has as its host. */
  readonly serverName: string;
  /** The certificate must have one of these; never empty, but for servers that requests name: it must have the name of the request. */
  readonly names: readonly SubjectName[];
  /** Certificates of trusted authorities in PEM; undefined: those of the proxy's system. */
  readonly authorities?: string;
  /** Key of the ir.Secret that the proxy shows. */
  readonly clientCertificate?: string;
  /** What the proxy shows instead, where the backend itself says what. */
  readonly ownCertificate?: OwnCertificate;
  /** Every certificate is accepted. */
  readonly unverified?: true;
}

/** A certificate that belongs to one backend, whichever gateway uses it. */
export interface OwnCertificate {
  readonly secret: Secret;
  /** Digest of the secret, which prints as nothing and so counts for nothing in the backend's own. */
  readonly version: string;
}

/** How many of the requests to a backend may be retries of others. */
export interface RetryBudget {
  /** Of the requests of the last `intervalMs`. */
  readonly percent: number;
  readonly intervalMs: number;
  /** So many are let through in any case. */
  readonly minPerSecond: number;
}

/** One distinct upstream behaviour, named for the backend's identity and never for a rule's position. */
export interface Backend {
  /** `NAMESPACE/SERVICE/PORT`, and behind it what else separates it from backends of the same port. */
  readonly key: string;
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly protocol: BackendProtocol;
  readonly tls?: BackendTls;
  /** What the name is of, other than a Service. */
  readonly kind?:
    | 'ServiceImport'
    | 'XBackend'
    | 'InferencePool'
    | 'DynamicBackend'
    | 'AIService'
    | 'HTTPRoute'
    | 'AccessPolicy'
    | 'HTTPFilter'
    | 'ExtensionPolicy';
  /** Found by DNS, at `port`, instead of by endpoints. */
  readonly hostname?: string;
  /** With `hostname`: addresses and ranges (CIDR) that it may lead to although names of users may not lead there. */
  readonly allowedAddresses?: readonly string[];
  readonly retryBudget?: RetryBudget;
  readonly tuning?: BackendTuning;
  readonly patch?: BackendPatch;
  /** Endpoints of the proxy's own zone get all requests while one of them is well. */
  readonly prefersZone?: true;
  /** Reached through a listener within the proxy. */
  readonly ai?: AiService | AiRoute;
  /** It is a server that is asked about requests. */
  readonly asked?: AskedAs;
  /** Servers that requests name, reached through a listener within the proxy. */
  readonly named?: NamedServers;
  /** Reached through listeners within the proxy, which ask a picker. */
  readonly pool?: Pool;
  /** What logins that are made by it need. */
  readonly login?: LoginSecrets;
  /** What filters put into headers. Nothing is sent to such a backend. */
  readonly credential?: Credential;
  /** What filters run. Nothing is sent to such a backend. */
  readonly module?: ModuleCode;
}

/** WebAssembly. */
export interface ModuleCode {
  /** They print as nothing, being long. */
  readonly code: Sensitive;
  /** SHA-256 of the code, in hexadecimal digits. */
  readonly digest: string;
}

/** What is laid over what the proxy would be sent for a backend, in its own words, without faults. */
export interface BackendPatch {
  /** `NAMESPACE/NAME|BACKEND`, of the object that says it. */
  readonly id: string;
  readonly cluster?: object;
  readonly httpProtocolOptions?: object;
}

/** Which servers requests may name as their host. */
export interface NamedServers {
  /** In lower case; `*.example.com` and `*` stand for many. Never empty. */
  readonly hosts: readonly string[];
  /** The first is for requests that name none. Never empty. */
  readonly ports: readonly number[];
  /** Names may lead to addresses of private networks. */
  readonly reachesPrivate?: true;
}

/** A credential that other backends get. */
export interface Credential {
  readonly value: Sensitive;
  /** Its digest: it prints as nothing, and so counts for nothing in the backend's own. */
  readonly version: string;
}

/** What proxies make and check logins by. */
export interface LoginSecrets {
  /** By which proxies are known to the provider. */
  readonly client: Sensitive;
  /** Cookies are signed and encrypted by it. */
  readonly hmac: Sensitive;
  /** Digest of both, which print as nothing and so count for nothing in the backend's own. */
  readonly version: string;
}

/**
 * One address of a backend. `draining` takes no new requests but may keep sessions (terminating and still serving).
 */
export interface Endpoint {
  /** IP address. */
  readonly address: string;
  readonly port: number;
  readonly health: 'ready' | 'draining';
  readonly zone?: string;
  readonly node?: string;
  /** Those of a number get requests while too few of all lower numbers are well; undefined: 0, the first. */
  readonly priority?: number;
}

/** The addresses of one backend, sorted by priority, address and port, without repetition. */
export interface Endpoints {
  /** Key of the ir.Backend. */
  readonly backend: string;
  readonly endpoints: readonly Endpoint[];
  /** Where priorities differ: with fewer of one well than this percentage, a part of its requests goes to the next. */
  readonly failoverBelow?: number;
  /** As ActiveCheck.port of the backend. */
  readonly checkPort?: number;
}
