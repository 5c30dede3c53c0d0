import type { GatewayChange } from '../../translate/index.ts';

/** What a snapshot is called and how much it holds, over all gateways: what the node learns from `gatewright.v1.Snapshot`. */
export interface SnapshotManifest {
  /** ir.Snapshot.id */
  readonly id: string;
  readonly generatedAt: Date;
  readonly gateways: number;
  readonly listeners: number;
  readonly routes: number;
  readonly backends: number;
}

/** One build's output for the proxies. Publications follow each other; each starts from where the one before ended. */
export interface Publication {
  readonly marker: SnapshotManifest;
  readonly changes: readonly GatewayChange[];
  /** Content digest of each changed gateway by ir.Gateway.key, as text. A gateway that is not in it keeps its digest. */
  readonly digests: ReadonlyMap<string, string>;
}
