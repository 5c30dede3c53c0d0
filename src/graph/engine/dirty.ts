import type { KindName } from '../../gateway-api/index.ts';

/** What the next build has to look at again. */
export class Dirty {
  readonly classes = new Set<string>();
  readonly gateways = new Set<string>();
  /** Keys of proxies; those of a Gateway that is looked at are looked at in any case. */
  readonly fleets = new Set<string>();
  readonly gatewayStatuses = new Set<string>();
  readonly listenerSetStatuses = new Set<string>();
  /** routeKeys */
  readonly routes = new Set<string>();
  /** routeKeys of routes whose status may differ; filled while a build goes on, by what it resolves. */
  readonly routeStatuses = new Set<string>();
  readonly backends = new Set<string>();
  /** By kind: objects whose status no stage of the build makes, and may differ. */
  readonly #statuses = new Map<KindName, Set<string>>();

  get isEmpty(): boolean {
    // A route's status alone makes no build: where it may differ, something else does.
    return [
      ...[this.classes, this.gateways, this.fleets, this.gatewayStatuses, this.listenerSetStatuses],
      ...[this.routes, this.backends, ...this.#statuses.values()],
    ].every(({ size }) => size === 0);
  }

  /** The status of an object may differ. */
  markStatus(kind: KindName, key: string): void {
    const keys = this.#statuses.get(kind);
    if (keys) keys.add(key);
    else this.#statuses.set(kind, new Set([key]));
  }

  markStatuses(kind: KindName, keys: Iterable<string>): void {
    for (const key of keys) this.markStatus(kind, key);
  }

  /** What markStatus was called for, by kind. */
  get statuses(): ReadonlyMap<KindName, ReadonlySet<string>> {
    return this.#statuses;
  }

  /** Everything was looked at. */
  clear(): void {
    for (const set of Object.values(this) as Set<string>[]) set.clear();
    this.#statuses.clear();
  }
}
