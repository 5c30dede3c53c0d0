import type { Nack } from '../nodes/node-event.ts';
import type { ClientRejection } from '../rejections/rejections.ts';
import type { Variant } from './channel.ts';
import type { Patches } from './patches.ts';
import type { ResourceGroup, SnapshotVersion } from './resource-group.ts';
import type { TrialVerdict } from './trials.ts';

/** One response to write. */
export interface Push {
  readonly typeUrl: string;
  readonly nonce: string;
  /** Id of the snapshot it belongs to. */
  readonly snapshot: string;
  readonly bytes: Buffer;
  readonly resources: number;
}

/** Notified of what a client's answers mean. */
export interface SessionObserver {
  acked(answer: {
    readonly typeUrl: string;
    readonly snapshot: string;
    readonly nonce: string;
    readonly ms: number;
  }): void;
  nacked(nack: Nack, ms: number): void;
  /** It is known what the client rejects, and why. Later than the NACK where it had to be searched for. */
  rejected(rejection: ClientRejection): void;
  /** It does not reject this any more: it took it, or it is gone. */
  relented(rejection: ClientRejection): void;
  /** A trial has ended, or could not be. */
  trialEnded(verdict: TrialVerdict): void;
  /** What is tried, or is sent without that, has changed. */
  tried(): void;
  /** The client has taken everything up to and including this snapshot. */
  applied(snapshot: string): void;
}

export interface SessionOptions {
  readonly variant: Variant;
  readonly group: ResourceGroup;
  /** The newest edition for the group; not called before the group's first publication. */
  readonly newest: () => SnapshotVersion;
  /** The client says it is an agent: it has applied nothing before it acknowledged a manifest. */
  readonly wantsManifest: boolean;
  /** Where patches come from, for a client that takes them. */
  readonly patches?: Patches | undefined;
  /** It has the files that EnvoyResource.withoutGeo does without. */
  readonly hasGeo?: boolean;
  /** It has an Envoy try resources that serves nothing (`trialsMetadata`). */
  readonly tries?: boolean;
  /** Delta: about how big a response may get. */
  readonly maxResponseBytes: number;
  /**
   * The same for a stream's first response with routes. Envoy opens its listeners with the first one, so what comes in a
   * second one is answered 404 for a moment.
   */
  readonly maxFirstRoutesBytes: number;
  /** How long to wait before a listener whose port was taken is sent again; each time twice as long, up to twelve times. */
  readonly bindRetryMs: number;
  /** How long what requests may still use stays with the client after it has gone; see TypeTraits.lingers. */
  readonly lingerMs: number;
  readonly observer: SessionObserver;
  readonly clock: () => Date;
}
