/** One data plane as the xDS server knows it. Kept for ten minutes after it disconnected. Times are Dates. */
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
  /** Type URLs asked for. */
  readonly subscriptions: readonly string[];
  readonly supersededCount: number;
  /** Identity of the control plane that its stream ends at; undefined: this one. */
  readonly replica?: string;
  /** When that control plane was last heard of, if it is not heard of any more: what is said here may be out of date. */
  readonly staleSince?: Date;
}

/** Read-only list of data planes. */
export interface NodesView {
  list(): readonly NodeView[];
  find(nodeId: string): NodeView | undefined;
}
