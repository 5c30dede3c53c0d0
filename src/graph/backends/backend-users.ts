import type { BackendUse } from '../model/index.ts';

/** Which Gateways use a backend. The proxies' use does not show it, because several Gateways may share proxies. */
export class BackendUsers {
  /** By backend, then by Gateway. */
  readonly #counts = new Map<string, Map<string, number>>();

  add(backend: string, gateway: string, by: number): void {
    const counts = this.#counts.get(backend) ?? new Map<string, number>();
    const count = (counts.get(gateway) ?? 0) + by;
    if (count === 0) counts.delete(gateway);
    else counts.set(gateway, count);
    if (counts.size === 0) this.#counts.delete(backend);
    else this.#counts.set(backend, counts);
  }

  /** Keys. */
  gatewaysOf(backend: string): Iterable<string> {
    return this.#counts.get(backend)?.keys() ?? [];
  }
}

/** Gathers what a route uses. */
export class UseBook {
  /** By Gateway. */
  readonly #uses = new Map<string, { readonly fleet: string; readonly backends: Set<string> }>();

  add({ key, fleet }: { readonly key: string; readonly fleet: string }, backends: readonly string[]): void {
    const use = this.#uses.get(key) ?? { fleet, backends: new Set() };
    for (const backend of backends) use.backends.add(backend);
    this.#uses.set(key, use);
  }

  list(): BackendUse[] {
    return [...this.#uses].map(([gateway, { fleet, backends }]) => ({
      gateway,
      fleet,
      backends: [...backends].sort(),
    }));
  }
}
