import type { EnvoyResource } from '../../translate/index.ts';
import { originKey } from './origin-key.ts';

/** What the client does not have, and since which epoch. */
interface RejectedResource {
  readonly version: string;
  readonly resource: EnvoyResource;
  readonly since: number;
}

/** What the client of one stream rejected of one type, and has not taken since. It is not sent again until it changes. */
export class RejectedResources {
  readonly #byName = new Map<string, RejectedResource>();

  /** By name. */
  get versions(): ReadonlyMap<string, { readonly version: string }> {
    return this.#byName;
  }

  /** The epoch from which on the client is behind because of these; infinite when there are none. */
  get since(): number {
    let since = Number.POSITIVE_INFINITY;
    for (const rejected of this.#byName.values()) since = Math.min(since, rejected.since);
    return since;
  }

  /**
   * Whether the client rejected the resource in just this version, and made from the same. What it is made from may change, and the bytes stay: then nothing is
   * known of what is at fault now, and only another NACK leads to that.
   */
  has(resource: EnvoyResource): boolean {
    const rejected = this.#byName.get(resource.name);
    return rejected?.version === resource.version && isMadeFromSame(rejected.resource, resource);
  }

  /** A client that rejected an earlier version is behind since then. */
  add(resource: EnvoyResource, since: number): void {
    const { name, version } = resource;
    const before = this.#byName.get(name)?.since ?? Number.POSITIVE_INFINITY;
    this.#byName.set(name, { version, resource, since: Math.min(before, since) });
  }

  delete(name: string): void {
    this.#byName.delete(name);
  }

  resources(): EnvoyResource[] {
    return [...this.#byName.values()].map(({ resource }) => resource);
  }
}

function isMadeFromSame(one: EnvoyResource, other: EnvoyResource): boolean {
  if (one === other) return true;
  const [before, after] = [one, other].map(({ provenance }) => new Set(provenance?.origins().map(originKey)));
  return before?.symmetricDifference(after ?? new Set()).size === 0;
}
