import { type Batch, isAppliedInPart } from '../rejections/split-rejected.ts';
import type { Channel } from './channel.ts';
import type { ClientChains } from './client-chains.ts';
import type { ClientRejections } from './client-rejections.ts';
import type { SnapshotMarkerFlow } from './marker-flow.ts';
import type { SessionOptions } from './session-options.ts';

/** What an answer concerns. */
interface Concerned extends Pick<SessionOptions, 'group' | 'observer'> {
  readonly rejections: ClientRejections;
  readonly chains: ClientChains;
  readonly markers: SnapshotMarkerFlow;
}

/** When an answer came: in which epoch, and by which clock. */
interface Moment {
  readonly epoch: number;
  readonly nowMs: number;
}

/** What the answers to a session's responses mean: an ACK, a NACK, or what a probe found. */
export class ClientAnswers {
  readonly #concerned: Concerned;

  constructor(concerned: Concerned) {
    this.#concerned = concerned;
  }

  /** The client answered the channel's outstanding response, with `error` if it rejects it. */
  answered(channel: Channel, error: string | undefined, moment: Moment): void {
    if (channel.outbox.inFlight.is('probe')) this.#probed(channel, error, moment);
    else if (error === undefined && channel.outbox.inFlight.is('renewal')) this.#renewed(channel, moment);
    else if (error === undefined) this.#accepted(channel, moment);
    else this.#rejected(channel, error, moment);
  }

  // The client's state is what it was sent before: an answer to a probe says nothing of that.
  #probed(channel: Channel, error: string | undefined, { epoch }: Moment): void {
    const { batch } = channel.outbox.inFlight.outstanding!;
    channel.outbox.probed(error);
    if (error === undefined) channel.accepted(batch);
    this.#concerned.rejections.found(channel, epoch);
  }

  /** It has what it had. */
  #renewed({ typeUrl, outbox }: Channel, { nowMs }: Moment): void {
    const { observer, chains } = this.#concerned;
    const { batch, nonce, snapshot, sentAtMs } = outbox.inFlight.outstanding!;
    outbox.accept();
    for (const { name } of batch.upserts) chains.filterChains.renewals.over(name);
    observer.acked({ typeUrl, snapshot, nonce, ms: nowMs - sentAtMs });
  }

  #accepted(channel: Channel, { epoch, nowMs }: Moment): void {
    const { observer, group, rejections, markers, chains } = this.#concerned;
    const { typeUrl, outbox, traits } = channel;
    const { batch, nonce, snapshot, sentAtMs } = outbox.inFlight.outstanding!;
    outbox.accept();
    channel.accepted(batch);
    for (const resource of batch.upserts) group.taken(resource);
    chains.taken(channel, batch);
    rejections.accepted(channel, batch, epoch);
    observer.acked({ typeUrl, snapshot, nonce, ms: nowMs - sentAtMs });
    if (traits.queue === 'manifest' && batch.upserts.length > 0) markers.acknowledged(snapshot);
  }

  #rejected(channel: Channel, error: string, { epoch, nowMs }: Moment): void {
    const { observer, rejections, chains } = this.#concerned;
    const { typeUrl, outbox, traits } = channel;
    const { batch, nonce, snapshot, sentAtMs } = outbox.inFlight.outstanding!;
    const partial = traits.partialNack && isAppliedInPart(error);
    const verdict = outbox.reject(error, partial);
    const taken: Batch = { upserts: verdict.applied, removed: partial ? batch.removed : [] };
    channel.accepted(taken);
    chains.taken(channel, taken);
    rejections.taken(channel, taken, epoch);
    const certain = verdict.rejected.length > 0;
    const resources = (certain ? verdict.rejected : batch.upserts).map(({ name, version }) => ({ name, version }));
    const nack = { typeUrl, nonce, snapshot, message: error, resources, certain };
    observer.nacked(nack, nowMs - sentAtMs);
    rejections.add(channel, verdict, error, nowMs);
    rejections.found(channel, epoch);
  }
}
