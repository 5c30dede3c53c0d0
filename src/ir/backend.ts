/** How a backend is spoken to. `http1` is also what WebSocket backends get, and what TCP backends are called. */
export type BackendProtocol = 'http1' | 'h2c' | 'udp';

/** One distinct upstream behaviour, named for the backend's identity and never for a rule's position. */
export interface Backend {
  /** `NAMESPACE/SERVICE/PORT`, or `NAMESPACE/SERVICE/PORT/udp`. */
  readonly key: string;
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly protocol: BackendProtocol;
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
