import type { EnvoyResource, GatewayChange, Origin } from '../../translate/index.ts';
import { FormerDemands } from './former-demands.ts';
import { resourceWithout } from './held-back.ts';
import { originKey } from './origin-key.ts';
import type { SnapshotManifest } from './publication.ts';
import { sentFor } from './sent-for.ts';
import { manifestResource } from './snapshot-marker.ts';

/** One resource of a group changed. `before` is missing when it is new, `after` when it is gone. */
export interface ResourceChange {
  readonly typeUrl: string;
  readonly name: string;
  readonly before?: EnvoyResource;
  readonly after?: EnvoyResource;
}

/** How much there is of one type. */
export interface TypeSize {
  readonly typeUrl: string;
  readonly resources: number;
  /** Encoded. */
  readonly bytes: number;
}

/** Notified of a group's changes: the sessions of its nodes. */
export interface GroupMember {
  changed(change: ResourceChange, epoch: number): void;
}

/** One publication as the nodes of one gateway see it. */
export interface SnapshotVersion {
  /** Number of the publication: 1, 2, … since this process started. */
  readonly epoch: number;
  readonly marker: SnapshotManifest;
  /** The manifest with this gateway's digest. */
  readonly resource: EnvoyResource;
}

const none: ReadonlyMap<string, EnvoyResource> = new Map();

/**
 * All resources of one gateway, and the sessions of its nodes. A change costs what it touches times the members; nothing
 * walks the whole but a session's first request for a type.
 *
 * A group without any publication yet is `published: false`; its members wait. It becomes so again when its gateway is
 * gone; everything is then removed from its members of that time.
 */
export class ResourceGroup {
  readonly key: string;
  readonly formerDemands = new FormerDemands();
  readonly #types = new Map<string, Map<string, EnvoyResource>>();
  /** Encoded bytes of all resources of a type, kept with each change. */
  readonly #bytes = new Map<string, number>();
  readonly #members = new Set<GroupMember>();
  /** Of resources that many are behind, as the last client took them: by type, then by name. */
  readonly #taken = new Map<string, Map<string, EnvoyResource>>();
  /** By originKey, the origin's own key. */
  readonly #suspects = new Map<string, string>();
  #suspectKeys: ReadonlySet<string> = new Set();
  #published = false;
  #digest = '';
  #snapshotVersion: SnapshotVersion | undefined;

  constructor(key: string) {
    this.key = key;
  }

  get published(): boolean {
    return this.#published;
  }

  /** Not needed: no members and no resources. */
  get disposable(): boolean {
    return !this.#published && this.#members.size === 0 && this.#suspects.size === 0;
  }

  get members(): ReadonlySet<GroupMember> {
    return this.#members;
  }

  join(member: GroupMember): void {
    this.#members.add(member);
  }

  leave(member: GroupMember): void {
    this.#members.delete(member);
  }

  get(typeUrl: string, name: string): EnvoyResource | undefined {
    return this.#types.get(typeUrl)?.get(name);
  }

  /** By name. */
  resources(typeUrl: string): ReadonlyMap<string, EnvoyResource> {
    return this.#types.get(typeUrl) ?? none;
  }

  /** How much there is of each type that it has ever had. */
  *sizes(): Generator<TypeSize> {
    for (const [typeUrl, { size }] of this.#types)
      yield { typeUrl, resources: size, bytes: this.#bytes.get(typeUrl) ?? 0 };
  }

  *all(): Generator<EnvoyResource> {
    for (const resources of this.#types.values()) yield* resources.values();
  }

  /** A client took the resource: what is in it cannot be why a later one is rejected. */
  taken(resource: EnvoyResource): void {
    const { typeUrl, name } = resource;
    const { probe, without } = resource.provenance ?? {};
    if ((probe ?? without) && this.get(typeUrl, name)) ofType(this.#taken, typeUrl).set(name, resource);
  }

  /** The last resource of this name that any client took. */
  lastTaken({ typeUrl, name }: EnvoyResource): EnvoyResource | undefined {
    return this.#taken.get(typeUrl)?.get(name);
  }

  /** All of the group's proxies reject this. */
  suspect(origin: Origin): void {
    this.#suspects.set(originKey(origin), origin.key);
    this.#suspectKeys = new Set(this.#suspects.values());
  }

  /** One of them takes it. */
  clear(origin: Origin): void {
    this.#suspects.delete(originKey(origin));
    this.#suspectKeys = new Set(this.#suspects.values());
  }

  /** The resource without what all proxies reject; undefined when there is no such thing. */
  withoutSuspects(resource: EnvoyResource): EnvoyResource | undefined {
    if (this.#suspects.size === 0) return resource;
    return resourceWithout(resource, this.#suspectKeys, (origin) => this.#suspects.has(originKey(origin)));
  }

  apply(change: GatewayChange, epoch: number, digest: string | undefined): void {
    if (change.gone === true) {
      this.#removeAll(epoch);
      return;
    }
    this.#published = true;
    this.#digest = digest ?? this.#digest;
    for (const resource of change.upserts) this.#upsert(resource, epoch);
    for (const { typeUrl, name } of change.removals) this.#remove(typeUrl, name, epoch);
  }

  /** The newest publication, for this group; encoded at most once. */
  snapshotVersion(epoch: number, marker: SnapshotManifest): SnapshotVersion {
    if (this.#snapshotVersion?.epoch !== epoch)
      this.#snapshotVersion = makeSnapshotVersion(epoch, marker, this.#digest);
    return this.#snapshotVersion;
  }

  #removeAll(epoch: number): void {
    for (const [typeUrl, resources] of this.#types) {
      for (const name of [...resources.keys()]) this.#remove(typeUrl, name, epoch);
    }
    this.#types.clear();
    this.#bytes.clear();
    this.#taken.clear();
    this.formerDemands.clear();
    this.#published = false;
    this.#digest = '';
  }

  #upsert(after: EnvoyResource, epoch: number): void {
    const { typeUrl, name } = after;
    const resources = ofType(this.#types, typeUrl);
    const before = resources.get(name);
    // Of a chain in which requests wait, the bytes do not say what its table demands.
    if (before?.version !== after.version || after.slots) resources.set(name, after);
    if (before?.version === after.version) return;
    if (before) this.formerDemands.changed(before, after);
    this.#weigh(typeUrl, before, after);
    for (const member of this.#members) member.changed({ typeUrl, name, before, after }, epoch);
  }

  #remove(typeUrl: string, name: string, epoch: number): void {
    const resources = this.#types.get(typeUrl);
    const before = resources?.get(name);
    if (before === undefined) return;
    resources?.delete(name);
    this.formerDemands.changed(before, undefined);
    this.#weigh(typeUrl, before, undefined);
    this.#taken.get(typeUrl)?.delete(name);
    for (const member of this.#members) member.changed({ typeUrl, name, before }, epoch);
  }

  #weigh(typeUrl: string, before: EnvoyResource | undefined, after: EnvoyResource | undefined): void {
    const more = bytesIn(after) - bytesIn(before);
    this.#bytes.set(typeUrl, (this.#bytes.get(typeUrl) ?? 0) + more);
  }
}

const bytesIn = (resource: EnvoyResource | undefined): number =>
  (resource ? sentFor(resource) : []).reduce((sum, { body }) => sum + body.length, 0);

type ByType = Map<string, Map<string, EnvoyResource>>;

function ofType(types: ByType, typeUrl: string): Map<string, EnvoyResource> {
  const known = types.get(typeUrl);
  if (known !== undefined) return known;
  const fresh = new Map<string, EnvoyResource>();
  types.set(typeUrl, fresh);
  return fresh;
}

function makeSnapshotVersion(epoch: number, marker: SnapshotManifest, digest: string): SnapshotVersion {
  let resource: EnvoyResource | undefined;
  return {
    epoch,
    marker,
    // Only agents ask for it.
    get resource() {
      resource ??= manifestResource({ ...marker, digest });
      return resource;
    },
  };
}
