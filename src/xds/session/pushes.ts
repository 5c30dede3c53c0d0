import { typeUrls } from '../../envoy/index.ts';
import type { Channel } from './channel.ts';
import type { SnapshotVersion } from './resource-group.ts';
import type { Push, SessionOptions } from './session-options.ts';
import type { TrialBatch } from './trials.ts';
import { encodeDeltaResponse } from './wire.ts';

/** For what and when a push is made. */
export interface PushMoment {
  readonly snapshotVersion: SnapshotVersion;
  readonly nowMs: number;
}

/** Makes the responses of one stream: each with a nonce of its own, and the id of the snapshot that it belongs to. */
export class Pushes {
  readonly #options: Pick<SessionOptions, 'variant' | 'maxResponseBytes' | 'maxFirstRoutesBytes'>;
  #lastNonce = 0;

  constructor(options: Pick<SessionOptions, 'variant' | 'maxResponseBytes' | 'maxFirstRoutesBytes'>) {
    this.#options = options;
  }

  /** The next of what the channel has to send, which is in flight from then on. */
  next(channel: Channel, { snapshotVersion, nowMs }: PushMoment): Push {
    const { typeUrl, outbox, traits } = channel;
    const batch = outbox.take(this.#limit(channel));
    const nonce = this.#nextNonce();
    const marker = traits.queue === 'manifest' ? batch.upserts[0]?.version : undefined;
    const snapshot = marker ?? snapshotVersion.marker.id;
    outbox.inFlight.sent({ nonce, snapshot, batch, sentAtMs: nowMs });
    channel.lastNonce = nonce;
    return { typeUrl, nonce, snapshot, bytes: channel.encode(batch, nonce, snapshot), resources: batch.upserts.length };
  }

  /** What the client is to try. */
  trial({ contents: upserts, sent }: TrialBatch, { snapshotVersion, nowMs }: PushMoment): Push {
    const nonce = this.#nextNonce();
    sent(nonce, nowMs);
    const typeUrl = typeUrls.trial;
    const snapshot = snapshotVersion.marker.id;
    const bytes = encodeDeltaResponse({ typeUrl, nonce, systemVersion: snapshot, upserts, removed: [], empty: [] });
    return { typeUrl, nonce, snapshot, bytes, resources: upserts.length };
  }

  #nextNonce(): string {
    this.#lastNonce += 1;
    return String(this.#lastNonce);
  }

  #limit({ traits, lastNonce }: Channel): number {
    const { variant, maxResponseBytes, maxFirstRoutesBytes } = this.#options;
    if (variant === 'sotw') return Number.POSITIVE_INFINITY;
    return traits.queue === 'route' && lastNonce === '' ? maxFirstRoutesBytes : maxResponseBytes;
  }
}
