import { limits } from '../limits.ts';
import type { Publication, SnapshotManifest } from '../session/publication.ts';
import { ResourceGroup, type SnapshotVersion, type TypeSize } from '../session/resource-group.ts';

/** How many names are compared with one that is not known, and by how much they may differ in length: typing errors are few. */
const mostCompared = 100;
const mostLongerBy = 3;

/** The groups of all gateways that were published, or that nodes wait for. */
export class ResourceGroups {
  readonly #groups = new Map<string, ResourceGroup>();
  /** Counts publications. */
  #epoch = 0;
  /** Of the newest. */
  #marker: SnapshotManifest | undefined;

  get(key: string): ResourceGroup | undefined {
    return this.#groups.get(key);
  }

  /** The group of this key, made if it is not there. */
  of(key: string): ResourceGroup {
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group = new ResourceGroup(key);
    this.#groups.set(key, group);
    return group;
  }

  /** Forgets the group if it holds nothing and has no members. */
  dispose(group: ResourceGroup): void {
    if (group.disposable) this.#groups.delete(group.key);
  }

  /** Takes the changes in. Gives the groups that they are for, of which some may be disposable now. */
  publish({ marker, changes, digests }: Publication): ReadonlySet<ResourceGroup> {
    this.#epoch += 1;
    this.#marker = marker;
    const touched = new Set<ResourceGroup>();
    for (const change of changes) {
      const group = this.of(change.gateway);
      group.apply(change, this.#epoch, digests.get(change.gateway));
      touched.add(group);
    }
    return touched;
  }

  /** Something was published. Before that, every gateway is unknown. */
  get hasPublication(): boolean {
    return this.#marker !== undefined;
  }

  /** The newest edition for the group. Throws when nothing was published. */
  newest(group: ResourceGroup): SnapshotVersion {
    if (this.#marker === undefined) throw new Error('nothing was published yet');
    return group.snapshotVersion(this.#epoch, this.#marker);
  }

  /** Why a node may not wait for the group's first publication; undefined: it may, or need not. */
  faultOfWaiting(group: ResourceGroup): string | undefined {
    if (!this.hasPublication || group.published) return undefined;
    const hasRoom = this.#waiting < limits.waitingStreams;
    return hasRoom ? undefined : 'too many nodes wait for Gateways that are not there';
  }

  /** How many nodes wait for a first publication. */
  get #waiting(): number {
    let waiting = 0;
    for (const each of this.#groups.values()) if (!each.published) waiting += each.members.size;
    return waiting;
  }

  /** Keys of published groups that may have been meant. */
  keysNear(key: string): readonly string[] {
    const isNear = (known: string): boolean => Math.abs(known.length - key.length) <= mostLongerBy;
    return [...this.#groups.values()]
      .filter((group) => group.published && isNear(group.key))
      .slice(0, mostCompared)
      .map((group) => group.key);
  }

  /** How much all groups hold, by type. */
  sizes(): TypeSize[] {
    const sums = new Map<string, TypeSize>();
    for (const group of this.#groups.values()) {
      for (const { typeUrl, resources, bytes } of group.sizes()) {
        const sum = sums.get(typeUrl);
        sums.set(typeUrl, {
          typeUrl,
          resources: resources + (sum?.resources ?? 0),
          bytes: bytes + (sum?.bytes ?? 0),
        });
      }
    }
    return [...sums.values()];
  }
}
