import type { EnvoyResource } from '../../translate/index.ts';
import type { ResourceChange, ResourceGroup, SnapshotVersion } from './resource-group.ts';

/**
 * A group as it was at one edition, while the group itself moves on: the newest state, less the changes noted since. A
 * round of sending takes all its contents from one view, so that a route is never sent ahead of the clusters it needs,
 * however fast changes follow each other. Costs what changes, not what there is.
 */
export class View {
  readonly group: ResourceGroup;
  readonly snapshotVersion: SnapshotVersion;
  /** Type → name → what it was in this view. */
  readonly #changed = new Map<string, Map<string, EnvoyResource | undefined>>();

  constructor(group: ResourceGroup, snapshotVersion: SnapshotVersion) {
    this.group = group;
    this.snapshotVersion = snapshotVersion;
  }

  /** The names that changed after this view was taken, by type. */
  get changed(): ReadonlyMap<string, ReadonlyMap<string, EnvoyResource | undefined>> {
    return this.#changed;
  }

  /** To be called for every later change. */
  note({ typeUrl, name, before }: ResourceChange): void {
    const names = this.#changed.get(typeUrl);
    if (names === undefined) this.#changed.set(typeUrl, new Map([[name, before]]));
    else if (!names.has(name)) names.set(name, before);
  }

  find(typeUrl: string, name: string): EnvoyResource | undefined {
    const names = this.#changed.get(typeUrl);
    return names?.has(name) ? names.get(name) : this.group.get(typeUrl, name);
  }

  /** The newest state; else, as long as the view lasts, what is gone since. For types that nothing depends on in their turn. */
  findNewest(typeUrl: string, name: string): EnvoyResource | undefined {
    return this.group.get(typeUrl, name) ?? this.#changed.get(typeUrl)?.get(name);
  }

  /** All resources of a type, in no order. */
  *resources(typeUrl: string): Generator<EnvoyResource> {
    const names = this.#changed.get(typeUrl);
    for (const resource of this.group.resources(typeUrl).values()) {
      if (!names?.has(resource.name)) yield resource;
    }
    for (const resource of names?.values() ?? []) if (resource !== undefined) yield resource;
  }
}
