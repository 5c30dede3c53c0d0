import type { TerminationReason } from '../metrics.ts';
import type { ClientRejection } from '../rejections/rejections.ts';
import type { NodeView } from './node-view.ts';

/** What a node rejected, in Envoy's own words. */
export interface Nack {
  readonly typeUrl: string;
  readonly nonce: string;
  /** Id of the snapshot the answer belonged to. */
  readonly snapshot: string;
  readonly message: string;
  /** The resources that are held to be at fault: known for sure when `certain`, else still being narrowed down. */
  readonly resources: readonly { readonly name: string; readonly version: string }[];
  readonly certain: boolean;
}

/** Something happened to a data plane. `node` is as of just after it. */
export type NodeEvent =
  | { readonly kind: 'connected'; readonly node: NodeView }
  | { readonly kind: 'disconnected'; readonly node: NodeView; readonly reason: TerminationReason }
  /** A newer stream of the same node id took over; `node` is the newer one. */
  | { readonly kind: 'superseded'; readonly node: NodeView; readonly peer: string }
  | { readonly kind: 'acked'; readonly node: NodeView; readonly typeUrl: string; readonly snapshot: string }
  | { readonly kind: 'nacked'; readonly node: NodeView; readonly nack: Nack }
  /** It is known what the node rejects: once for each origin, after the NACK and perhaps a search. */
  | { readonly kind: 'refused'; readonly node: NodeView; readonly rejection: ClientRejection }
  /** What the node has tried before it serves it is something else. */
  | { readonly kind: 'tried'; readonly node: NodeView }
  /** Its agent says something else of its databases. */
  | { readonly kind: 'databases'; readonly node: NodeView }
  /** The node took it after all, or it is gone, or an operator had it offered again. */
  | { readonly kind: 'relented'; readonly node: NodeView; readonly rejection: ClientRejection }
  /** The node has applied a snapshot: `node.lastAckVersion`. */
  | { readonly kind: 'applied'; readonly node: NodeView; readonly snapshot: string }
  /** The node is not listed any more: it has been gone for long, or is on the list of another replica. */
  | { readonly kind: 'forgotten'; readonly node: NodeView };

export type NodeListener = (event: NodeEvent) => void;
