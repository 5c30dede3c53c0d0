import type { WireResource } from './delta-messages.ts';
import type { KnownName } from './held-type.ts';

/** Envoy's last word to the control plane. */
export interface LastAnswer {
  readonly status: 'ACK' | 'NACK';
  /** Snapshot id the answer belongs to, as far as the control plane said. */
  readonly version: string;
  readonly nonce: string;
}

/** A rejection, as Envoy worded it. */
export interface Rejection {
  readonly typeUrl: string;
  readonly message: string;
  readonly at: Date;
  /** The agent had offered it, from what it held; no control plane has heard of the rejection. */
  readonly own: boolean;
}

/** What an agent knows of what its Envoy has, or what of that has changed: enough for another agent to go on with. */
export interface Knowledge {
  /** The snapshot that Envoy took last, and when. */
  readonly applied?: { readonly marker: WireResource; readonly at: Date } | undefined;
  readonly types: readonly TypeKnowledge[];
}

export interface TypeKnowledge {
  readonly typeUrl: string;
  /** See `HeldType.answered`. */
  readonly answered: boolean;
  readonly names: readonly KnownName[];
}
