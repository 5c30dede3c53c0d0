/** What one Gateway uses of backends, for a route or by itself. */
export interface BackendUse {
  /** Keys of the Gateway and of the proxies that serve it. */
  readonly gateway: string;
  readonly fleet: string;
  /** By ir.Backend.key, each once. */
  readonly backends: readonly string[];
}

/** More or fewer uses of a backend by one Gateway. */
export interface CountedUse {
  /** Keys of the Gateway, of the proxies that serve it, and of the ir.Backend. */
  readonly gateway: string;
  readonly fleet: string;
  readonly backend: string;
  readonly by: number;
}
