import { Map as ImmutableMap } from 'immutable';
import type { Backend, Endpoints } from './backend.ts';
import type { Digest } from './digest.ts';
import type { Listener } from './listener.ts';
import type { RouteTable, VirtualHost } from './route-table.ts';
import type { Secret } from './secret.ts';
import type { StreamHost, StreamTable } from './stream-table.ts';

/** Everything that proxies which serve together must do: those of one Gateway, or of all Gateways of a class that shares them. All maps are immutable and share structure with the snapshot before. */
export interface Fleet {
  /** `NAMESPACE/NAME` of the Gateway; of shared proxies as sharedFleetKey makes it. */
  readonly key: string;
  /** Sum of the digests of everything below, and of the used backends and their endpoints. */
  readonly digest: Digest;
  /** Sum of the digests of `listeners` alone: changes when ports or certificates' names do, not with routes. */
  readonly listenersDigest: Digest;
  /** By ir.Listener.key. */
  readonly listeners: ImmutableMap<string, Listener>;
  /** By ir.RouteTable.id. */
  readonly tables: ImmutableMap<string, RouteTable>;
  /** By ir.StreamTable.id. */
  readonly streams: ImmutableMap<string, StreamTable>;
  /** By ir.Secret.key. */
  readonly secrets: ImmutableMap<string, Secret>;
  /** How many routes of this gateway use a backend, by ir.Backend.key. */
  readonly backends: ImmutableMap<string, number>;
}

export interface SnapshotCounts {
  readonly gateways: number;
  readonly listeners: number;
  readonly routes: number;
  readonly backends: number;
  readonly endpoints: number;
}

/**
 * One immutable, consistent desired state for all proxies. `id` is made from content alone: it is equal in any two processes that saw
 * the same objects, in whatever order, and a restart does not change it.
 */
export interface Snapshot {
  readonly id: string;
  readonly generatedAt: Date;
  readonly gateways: ImmutableMap<string, Fleet>;
  /** By ir.Backend.key; only those that a gateway uses. */
  readonly backends: ImmutableMap<string, Backend>;
  /** By ir.Backend.key, for every entry of `backends`. */
  readonly endpoints: ImmutableMap<string, Endpoints>;
  readonly counts: SnapshotCounts;
}

/**
 * One difference between two snapshots, for one gateway. `before` is missing when it is new, `after` when it is gone. A
 * backend used by several gateways appears once for each; its objects are the same, so work done for one can be kept
 * for the next. A gateway that is gone appears as `{kind: 'gateway', after: undefined}` alone.
 */
export type Change =
  | { readonly kind: 'gateway'; readonly gateway: string; readonly before?: Fleet; readonly after?: Fleet }
  | {
      readonly kind: 'listener';
      readonly gateway: string;
      readonly key: string;
      readonly before?: Listener;
      readonly after?: Listener;
    }
  | {
      readonly kind: 'table';
      readonly gateway: string;
      readonly table: string;
      readonly before?: RouteTable;
      readonly after?: RouteTable;
    }
  | {
      readonly kind: 'virtualHost';
      readonly gateway: string;
      readonly table: string;
      /** Which of the table's maps it is in. */
      readonly scope: 'exact' | 'fallback';
      readonly host: string;
      readonly before?: VirtualHost;
      readonly after?: VirtualHost;
    }
  | {
      readonly kind: 'stream';
      readonly gateway: string;
      readonly table: string;
      readonly host: string;
      readonly before?: StreamHost;
      readonly after?: StreamHost;
    }
  | {
      readonly kind: 'secret';
      readonly gateway: string;
      readonly key: string;
      readonly before?: Secret;
      readonly after?: Secret;
    }
  | {
      readonly kind: 'backend';
      readonly gateway: string;
      readonly key: string;
      readonly before?: Backend;
      readonly after?: Backend;
    }
  | {
      readonly kind: 'endpoints';
      readonly gateway: string;
      readonly key: string;
      readonly before?: Endpoints;
      readonly after?: Endpoints;
    };

export const emptySnapshot = (generatedAt: Date): Snapshot => ({
  id: '',
  generatedAt,
  gateways: ImmutableMap(),
  backends: ImmutableMap(),
  endpoints: ImmutableMap(),
  counts: { gateways: 0, listeners: 0, routes: 0, backends: 0, endpoints: 0 },
});
