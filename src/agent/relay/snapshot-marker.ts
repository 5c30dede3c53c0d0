import { status } from '@grpc/grpc-js';
import { readFields, typeUrls } from '../../envoy/wire/index.ts';
import {
  type DeltaRequest,
  type DeltaResponse,
  deltaRequest,
  resourceBody,
  type WireResource,
} from './delta-messages.ts';

/** A snapshot that Envoy has taken whole. */
export interface AppliedSnapshot {
  readonly id: string;
  readonly appliedAt: Date;
  /** Nonce of the manifest on the stream it came on. */
  readonly nonce: string;
}

/** `gatewright.v1.Snapshot.id`. Throws when the manifest cannot be read or names no snapshot. */
function snapshotId(marker: WireResource): string {
  let id = '';
  readFields(resourceBody(marker) ?? new Uint8Array(), (no, _wireType, reader) => {
    if (no !== 1) return false;
    id = reader.string();
    return true;
  });
  if (id === '') throw new Error(`the manifest ${marker.name} names no snapshot`);
  return id;
}

/**
 * The agent's own subscription to snapshot manifests (design 2.3). A manifest is the last thing of a build on the stream:
 * it is acknowledged, and the snapshot is applied, as soon as Envoy has answered everything that came before it.
 */
export class SnapshotMarker {
  readonly #send: (request: DeltaRequest) => void;
  #asked = false;
  #held: WireResource | undefined;
  #waiting: DeltaResponse | undefined;
  #applied: AppliedSnapshot | undefined;

  constructor(send: (request: DeltaRequest) => void) {
    this.#send = send;
  }

  /** The snapshot that Envoy took last. */
  get applied(): AppliedSnapshot | undefined {
    return this.#applied;
  }

  /** The manifest of that snapshot. */
  get held(): WireResource | undefined {
    return this.#held;
  }

  /** Envoy is about to be given this snapshot by an agent that was not there when it came. Throws when the manifest cannot be read. */
  restore(marker: WireResource, appliedAt: Date): void {
    this.#applied = { id: snapshotId(marker), appliedAt, nonce: '' };
    this.#held = marker;
  }

  /** A manifest is here and waits for Envoy. */
  get waiting(): boolean {
    return this.#waiting !== undefined;
  }

  /**
   * Asks for manifests, once on a stream. Not before Envoy has answered clusters and listeners: to a control plane that was asked
   * for manifests only, there would be nothing left to acknowledge, and nothing applied would count as applied.
   */
  ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    const initialVersions = new Map(this.#held ? [[this.#held.name, this.#held.version]] : []);
    this.#send(deltaRequest({ typeUrl: typeUrls.snapshot, initialVersions }));
  }

  answered(response: DeltaResponse): void {
    this.#waiting = response;
  }

  /** Takes the manifest that waits: everything before it has been answered. Gives the snapshot when there is a new one. */
  resolve(now: Date): AppliedSnapshot | undefined {
    const response = this.#waiting;
    if (!response) return undefined;
    this.#waiting = undefined;
    const { nonce } = response;
    const marker = response.resources.at(-1);
    try {
      if (marker) this.#applied = { id: snapshotId(marker), appliedAt: now, nonce };
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      this.#send(
        deltaRequest({ typeUrl: typeUrls.snapshot, nonce, error: { code: status.INVALID_ARGUMENT, message } }),
      );
      return undefined;
    }
    this.#send(deltaRequest({ typeUrl: typeUrls.snapshot, nonce }));
    if (!marker) return undefined;
    this.#held = marker;
    return this.#applied;
  }

  /** The stream to the control plane is gone. */
  left(): void {
    this.#asked = false;
    this.#waiting = undefined;
  }
}
