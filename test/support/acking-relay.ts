import { create, toBinary } from '@bufbuild/protobuf';
import { pino } from 'pino';
import { decodeDeltaResponse, deltaRequest } from '../../src/agent/relay/delta-messages.ts';
import { Relay } from '../../src/agent/relay/relay.ts';
import { DeltaDiscoveryResponseSchema, packAny, SnapshotSchema, typeUrls } from '../../src/envoy/index.ts';

/** What an answer says of one name: its new version, or that it is gone. */
export interface Say {
  readonly typeUrl: string;
  readonly name: string;
  readonly version?: string;
  readonly size?: number;
  /** Envoy rejects the answer. */
  readonly rejected?: boolean;
}

/** A relay between a control plane that is played by hand and an Envoy that answers all it is sent. */
export class AckingRelay {
  readonly relay: Relay;
  #nonces = 0;
  #rejecting = false;

  constructor(onApplied: () => void = () => undefined) {
    this.relay = new Relay({
      logger: pino({ level: 'silent' }),
      now: () => new Date(5000),
      noteChanges: true,
      onApplied,
    });
  }

  join(types: readonly string[] = [typeUrls.cluster, typeUrls.listener]): void {
    this.relay.envoyJoined(({ typeUrl, nonce }) => {
      const error = this.#rejecting ? { error: { code: 13, message: 'no' } } : {};
      queueMicrotask(() => this.relay.envoyAsked(deltaRequest({ typeUrl, nonce, ...error })));
    });
    for (const typeUrl of types) this.relay.envoyAsked(deltaRequest({ typeUrl }), Uint8Array.of(1));
    this.relay.controlPlaneJoined(() => undefined);
  }

  /** One answer for each, then the manifest of a snapshot. Resolves when Envoy has answered. */
  async publish(id: string, says: readonly Say[]): Promise<void> {
    for (const { typeUrl, name, version, size = 10, rejected = false } of says) {
      const resources =
        version === undefined ? [] : [{ name, version, resource: { typeUrl, value: new Uint8Array(size) } }];
      this.#rejecting = rejected;
      this.#answer(typeUrl, resources, version === undefined ? [name] : []);
      await Promise.resolve();
      await Promise.resolve();
    }
    this.#rejecting = false;
    const resource = packAny(SnapshotSchema, create(SnapshotSchema, { id }));
    this.#answer(typeUrls.snapshot, [{ name: 'snapshot', version: id, resource }], []);
  }

  #answer(
    typeUrl: string,
    resources: readonly { name: string; version: string; resource: { typeUrl: string; value: Uint8Array } }[],
    removedResources: string[],
  ): void {
    const nonce = String(++this.#nonces);
    const message = create(DeltaDiscoveryResponseSchema, {
      typeUrl,
      nonce,
      resources: [...resources],
      removedResources,
    });
    this.relay.controlPlaneAnswered(decodeDeltaResponse(toBinary(DeltaDiscoveryResponseSchema, message)));
  }
}

/** What a relay knows, as text that is equal exactly when it is. */
export function describeKnowledge(relay: Relay): string {
  const { applied, types } = relay.takeAll();
  const lines = types.flatMap(({ typeUrl, answered, names }) => [
    `${typeUrl} ${answered}`,
    ...names.map(
      ({ name, held, rejected, absent }) => `${typeUrl} ${name} ${held?.version} ${rejected?.version} ${absent}`,
    ),
  ]);
  return [applied?.marker.version, applied?.at.toISOString(), ...lines.sort()].join('\n');
}
