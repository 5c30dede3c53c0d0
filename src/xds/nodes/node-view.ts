import type { SecretText } from '../../config/index.ts';
import type { DatabaseFault } from '../../contracts/index.ts';
import type { ClientRejection } from '../rejections/rejections.ts';

/**
 * One data plane as the xDS server knows it. One that is not connected is lost: its stream ended without a goodbye, and it is kept for ten
 * minutes. Times are Dates.
 */
export interface NodeView {
  readonly nodeId: string;
  /** `node.cluster`: ir.Gateway.key of the Gateway it serves. */
  readonly cluster: string;
  readonly gateway: string;
  /** The data-plane agent's version (node metadata `gatewright_version`), empty for an Envoy without one. */
  readonly version: string;
  readonly envoyVersion: string;
  /** Port of its agent's admin API, on the host that `peer` names; undefined for an Envoy without an agent. */
  readonly adminPort?: number;
  /** What its agent's reports ask for. Known only to the replica that its stream ends at: it is not passed on. */
  readonly reportToken?: SecretText | undefined;
  readonly connected: boolean;
  /** Connected, and has applied some snapshot. */
  readonly ready: boolean;
  readonly stream: 'delta' | 'sotw';
  readonly peer: string;
  readonly connectedAt: Date;
  readonly disconnectedAt?: Date;
  readonly disconnectReason?: string;
  readonly lastSeenAt: Date;
  /** Snapshot id that all that was sent belongs to. */
  readonly lastSentVersion?: string;
  /** Snapshot id that the node has applied: it acknowledged everything up to it, and the manifest if it subscribes to manifests. */
  readonly lastAckVersion?: string;
  /** Snapshot id last answered, be it with ACK or NACK. */
  readonly lastConfigVersion?: string;
  readonly lastNonce?: string;
  readonly lastConfigStatus?: 'ACK' | 'NACK';
  readonly lastNackVersion?: string;
  readonly lastNackNonce?: string;
  readonly lastNackType?: string;
  readonly lastNackMessage?: string;
  /** It counts in what its fleet rejects: it is connected, and an Envoy of our release (voter.ts). */
  readonly votes: boolean;
  /** What it rejects and is not sent, while it is connected: the first of them (mostShown). */
  readonly refusals: readonly ClientRejection[];
  /** How many there are. */
  readonly refusalCount: number;
  /** What it has tried before it serves it, and what it is sent without that: the first of them. */
  readonly trials: readonly ClientRejection[];
  /** Databases of places that it cannot use, as its agent reported last. A lost node may still serve without them. */
  readonly databaseFaults: readonly DatabaseFault[];
  /** Type URLs asked for. */
  readonly subscriptions: readonly string[];
  readonly supersededCount: number;
  /** The cluster has, or had, a pod of this name behind the Gateway's Service. */
  readonly isPod: boolean;
  /** Identity of the control plane that its stream ends at; undefined: this one. */
  readonly replica?: string;
  /** When that control plane was last heard of, if it is not heard of any more: what is said here may be out of date. */
  readonly staleSince?: Date;
}

/** Identifies a node among all: a fleet gives out its ids without looking at other fleets. */
export type NodeRef = Pick<NodeView, 'nodeId' | 'cluster'>;

/** For maps by node. Neither part has a line break in it. */
export const nodeKey = ({ nodeId, cluster }: NodeRef): string => `${cluster}\n${nodeId}`;

/** Read-only list of data planes. */
export interface NodesView {
  list(): readonly NodeView[];
  /** With `cluster` that fleet's node. Without: of all nodes with the id, one that is connected, then the newest. */
  find(nodeId: string, cluster?: string): NodeView | undefined;
}

/** Of nodes of different fleets that have one id: one that is connected, then the newest. */
export const foremost = (nodes: Iterable<NodeView>): NodeView | undefined =>
  [...nodes].reduce<NodeView | undefined>((best, node) => (best && !precedes(node, best) ? best : node), undefined);

const precedes = (a: NodeView, b: NodeView): boolean =>
  a.connected === b.connected ? a.connectedAt > b.connectedAt : a.connected;
