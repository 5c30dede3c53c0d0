import type { Any } from '@bufbuild/protobuf/wkt';
import type { RejectedKind } from '../../contracts/index.ts';
import type * as ir from '../../ir/index.ts';

/**
 * One Envoy resource, encoded. The object is shared by every gateway and every stream that has the resource: encoded
 * once, compared by `version`.
 */
export interface EnvoyResource {
  /** `type.googleapis.com/envoy.config.…` */
  readonly typeUrl: string;
  readonly name: string;
  /** Made from the encoded bytes: equal bytes, equal version. A filter chain's names its demands, too. */
  readonly version: string;
  /** The encoded message, as it stands in `Any.value`: a character for each byte, as `textOfBytes` makes it. */
  readonly body: string;
  /** The same for clients without databases of places (GeoLookup), which would end Envoy. */
  readonly withoutGeo?: EnvoyResource;
  /**
   * What clients are sent of it under names of their own: each place that uses the resource subscribes to one of them, and so reads no more than that. They go
   * in the resource's response, so a client that rejects one has none of them. A resource with pieces has their versions in its own.
   */
  readonly pieces?: readonly EnvoyResource[];
  /** It leads to others of its type, and goes behind them: clients take the resources of an answer one after the other. */
  readonly continues?: boolean;
  /** Of a filter chain: the slots it has. */
  readonly slots?: ChainSlots;
  /**
   * Slots that its routes fill, by the name of the filter chain. An Envoy whose chain lacks one serves these routes without the filter, and
   * says nothing: it must get the chain first.
   */
  readonly needs?: ReadonlyMap<string, readonly string[]>;
  /** The object behind it; undefined: Gatewright itself. */
  readonly provenance?: Provenance;
}

/** What filter chains of an HTTP table are for: what comes before access policies, who may come in, or what happens on the way. */
export type ChainKind = 'entry' | 'access' | 'traffic';

/** What one level of a table demands of requests to some of its listeners. */
export interface ChainDemand {
  /** 16 hexadecimal digits, made from its content and from which requests it is for. */
  readonly digest: string;
  /** 8 hexadecimal digits, made from its level, its parts and its hosts: what stays the same when its keys change. */
  readonly place: string;
  /** It alone, with the hostnames of all listeners of that time. */
  readonly guards: ir.TableGuards;
}

/** Several filters of a slot that routes call by one name. */
export interface ChainList {
  readonly filters: readonly { readonly name: string; readonly typedConfig: Any }[];
  readonly digest: ir.Digest;
  /** What it counts. */
  readonly buckets: readonly ir.LimitBucket[];
  /** The same list without some of them, by their ids. */
  readonly without: (ids: ReadonlySet<string>) => ChainList;
}

/** What a client has of a resource: where requests begin is the first of the names. */
export interface PreparedFor {
  readonly names: ReadonlySet<string>;
  readonly lists: ReadonlyMap<string, ChainList>;
  readonly demands: ReadonlyMap<string, ChainDemand>;
}

/** The slots of a filter chain, and what it demands by itself. */
export interface ChainSlots {
  readonly names: ReadonlySet<string>;
  /** What routes call by name in slots, by what `names` has of it. */
  readonly lists: ReadonlyMap<string, ChainList>;
  /** By slot, the resource that has its lists, where the chain itself does not have them (`lists`). */
  readonly listsAt?: ReadonlyMap<string, string>;
  /** Those resources, where the chain has outlasted what they were published for: to be sent with it. */
  readonly beside?: () => readonly EnvoyResource[];
  /** The chain as it stays where requests wait in it, if it is not one: a client may have that from an earlier stream. */
  readonly steady?: () => EnvoyResource;
  /** The same of an empty chain behind one in which requests wait. */
  readonly ahead?: () => EnvoyResource;
  /** It is that chain. A client that has more keeps it: requests that have its filters may wait in front of them for as long as they like. */
  readonly isAhead?: true;
  /** The same with requests on the way that those of `held` take: to be sent first to a client that has that. Undefined: it can be sent at once. */
  readonly preparing?: (held: PreparedFor) => EnvoyResource | undefined;
  /** It is sent first, and this is to be sent when a client has it. */
  readonly prepares?: EnvoyResource;
  /** By digest, what the table demands. Closed ones count for those that clients reject. */
  readonly own: ReadonlyMap<string, ChainDemand>;
  /** By digest, all that it demands: also what the table demanded before. */
  readonly demands: ReadonlyMap<string, ChainDemand>;
  /**
   * The same chain with these slots too, and with demands that are none of its own; the chain itself if that is all. `lists`: those of `names`
   * that it does not have itself. Of others nothing is known, and they are left out.
   */
  readonly with: (
    names: Iterable<string>,
    former?: Iterable<ChainDemand>,
    lists?: ReadonlyMap<string, ChainList>,
  ) => EnvoyResource;
  /** The same chain with every slot that a chain of its kind may have, and with demands that are none of its own. */
  readonly withAll: (former?: Iterable<ChainDemand>) => EnvoyResource;
  /**
   * By digest, what a client demands that has this version of the chain; `find` gives what chains demanded before. A demand that is not known any more counts
   * as one that lets no request in, unless this chain has another in its place.
   */
  readonly demandsIn: (
    version: string,
    find: (digest: string) => ChainDemand | undefined,
  ) => ReadonlyMap<string, ChainDemand>;
}

/** A piece of the IR that is in a resource, and so may be why Envoy rejects the resource. */
export interface Origin {
  readonly kind: RejectedKind;
  /** Of a route `KIND/NAMESPACE/NAME`; else the fragment's key in the IR. */
  readonly key: string;
  /** ir.Digest of the content that is in the resource: what exactly was rejected. */
  readonly digest: bigint;
}

/** Something of a resource that may be tried before the resource is served. */
export interface Trial {
  readonly origin: Origin;
  /** What it is tried with, beside its own content: equal texts, equal outcome. */
  readonly version: string;
  /** A cluster or a listener. */
  readonly content: () => EnvoyResource;
  /** The same without the origin: if Envoy takes neither, that says nothing of the origin. */
  readonly control?: () => EnvoyResource | undefined;
}

/** What a resource is made from. Computed when it is asked for, which is when Envoy has rejected it. */
export interface Provenance {
  origins(): readonly Origin[];
  /** What is at fault where none of the origins is, such as the place that the resource has; undefined: then nothing is. */
  whole?(): Origin;
  /** Origins that are not in the resource, as they cannot be encoded, with the reason. */
  unencodable?(): readonly { readonly origin: Origin; readonly message: string }[];
  /** Whether any of the origins may have one of these keys: cheaper than the origins themselves. */
  mayHave?(keys: ReadonlySet<string>): boolean;
  /** Keys of the origins that Envoy's words speak of. */
  namedIn?(message: string): readonly string[];
  /** What an Envoy that serves nothing is to look at before any other gets the resource. Missing where there is no such thing. */
  trials?(): readonly Trial[];
  /**
   * A resource with the parts of these origins alone, which Envoy checks as it checks the whole, and which no request ever
   * finds. Missing where a resource has one origin, or cannot be checked without being used.
   */
  probe?(keys: ReadonlySet<string>): EnvoyResource;
  /**
   * The resource of this name without the parts of these origins; undefined when nothing would be left of it. Missing where a
   * resource has one origin.
   */
  without?(name: string, keys: ReadonlySet<string>): EnvoyResource | undefined;
}

/** What one build changes for the proxies of one gateway. */
export interface GatewayChange {
  /** ir.Gateway.key, which is also the `node.cluster` of the gateway's proxies. */
  readonly gateway: string;
  readonly upserts: readonly EnvoyResource[];
  readonly removals: readonly { readonly typeUrl: string; readonly name: string }[];
  /** The gateway itself is gone: everything of it is to be removed. `upserts` and `removals` are empty. */
  readonly gone?: boolean;
}
