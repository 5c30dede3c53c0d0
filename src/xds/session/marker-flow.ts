import { AckOutcome } from './ack-outcome.ts';
import type { Channel } from './channel.ts';
import type { SnapshotVersion } from './resource-group.ts';

/** When a manifest goes out, and when the client has applied a snapshot. */
export class SnapshotMarkerFlow {
  readonly #ackOutcome = new AckOutcome();
  readonly #wantsManifest: boolean;
  readonly #applied: (snapshot: string) => void;
  #channel: Channel | undefined;
  #resolved: SnapshotVersion | undefined;
  #lastApplied: string | undefined;
  /** Version of the manifest that the client has from an earlier stream. */
  #fromBefore: string | undefined;

  /** `wantsManifest`: nothing is applied before a manifest is acknowledged. Else that holds once the client asks for manifests. */
  constructor(wantsManifest: boolean, applied: (snapshot: string) => void) {
    this.#wantsManifest = wantsManifest;
    this.#applied = applied;
  }

  /** The round that brings the client to the edition is over. */
  finished(snapshotVersion: SnapshotVersion): void {
    this.#ackOutcome.finished(snapshotVersion);
  }

  /** The client asks for a further type, so it has not got the current edition in full, nor any before. */
  reopen(epoch: number): void {
    this.#ackOutcome.reopen(epoch);
  }

  /** Resolves what can be, given the first epoch that the client has not taken in full. */
  resolve(behindSince: number): void {
    const resolved = this.#ackOutcome.resolve(behindSince);
    if (resolved === undefined) return;
    this.#resolved = resolved;
    if (this.#channel !== undefined) this.#put(this.#channel, resolved);
    else if (!this.#wantsManifest) this.#apply(resolved.marker.id);
  }

  /** The client asks for manifests; `version` is of the one it has. */
  asked(channel: Channel, version: string | undefined): void {
    this.#channel = channel;
    this.#fromBefore = version;
    if (this.#resolved !== undefined) this.#put(channel, this.#resolved);
  }

  acknowledged(snapshot: string): void {
    this.#apply(snapshot);
  }

  #put(channel: Channel, { epoch, marker, resource }: SnapshotVersion): void {
    if (this.#fromBefore === marker.id) this.#apply(marker.id);
    else channel.outbox.put(resource, epoch);
    this.#fromBefore = undefined;
  }

  #apply(snapshot: string): void {
    if (this.#lastApplied === snapshot) return;
    this.#lastApplied = snapshot;
    this.#applied(snapshot);
  }
}
