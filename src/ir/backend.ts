/** How a backend is spoken to, with or without TLS. `http1` is also what WebSocket backends get; `tcp` is bytes of whatever meaning. */
export type BackendProtocol = 'http1' | 'h2c' | 'tcp' | 'udp';

/** A name that a certificate must have, as its subjectAltName. */
export interface SubjectName {
  readonly kind: 'dns' | 'uri';
  readonly value: string;
}

/** TLS towards a backend. */
export interface BackendTls {
  /** SNI. */
  readonly serverName: string;
  /** The certificate must have one of these; never empty. */
  readonly names: readonly SubjectName[];
  /** Certificates of trusted authorities in PEM; undefined: those of the proxy's system. */
  readonly authorities?: string;
  /** Key of the ir.Secret that the proxy shows. */
  readonly clientCertificate?: string;
}

/** One distinct upstream behaviour, named for the backend's identity and never for a rule's position. */
export interface Backend {
  /** `NAMESPACE/SERVICE/PORT`, and after it what else tells it apart from others of the same port number. */
  readonly key: string;
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly protocol: BackendProtocol;
  readonly tls?: BackendTls;
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
}

/** The addresses of one backend, sorted by address and port, without repetition. */
export interface Endpoints {
  /** Key of the ir.Backend. */
  readonly backend: string;
  readonly endpoints: readonly Endpoint[];
}
