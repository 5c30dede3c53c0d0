import type { ensureEnvoyGateway } from '../../scripts/setup/envoy-gateway.mjs';
import type { Patience } from '../support/patience.ts';
import { EnvoyGateway } from './envoy-gateway.ts';
import { Gatewright } from './gatewright.ts';
import type { Subject } from './subject.ts';
import { World } from './world.ts';

/** Where Envoy Gateway is; none when it takes no part. */
export type Peer = Awaited<ReturnType<typeof ensureEnvoyGateway>> | undefined;

/** A world, and the subjects that are in it so far. */
export class Stage implements AsyncDisposable {
  readonly world: World;
  readonly #peer: Peer;
  readonly #subjects = new Map<string, Subject>();

  private constructor(world: World, peer: Peer) {
    this.world = world;
    this.#peer = peer;
  }

  static async open(peer: Peer, patience: Patience): Promise<Stage> {
    return new Stage(await World.open({ definitions: peer?.definitions, patience }), peer);
  }

  /** @throws when there is none of that name, and says which ones there are */
  async subject(name: string): Promise<Subject> {
    const subject = this.#subjects.get(name) ?? (await this.#prepare(name));
    this.#subjects.set(name, subject);
    return subject;
  }

  async #prepare(name: string): Promise<Subject> {
    if (name === 'gatewright') return await Gatewright.prepare(this.world);
    if (name === 'envoy-gateway' && this.#peer) return await EnvoyGateway.prepare(this.world, this.#peer);
    if (name === 'envoy-gateway-fast' && this.#peer)
      return await EnvoyGateway.prepare(this.world, this.#peer, { rate: { qps: 5000, burst: 10_000 } });
    throw new Error(`--subjects: no ${name}; there are gatewright, envoy-gateway and envoy-gateway-fast`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { probe } of this.#subjects.values()) probe.close();
    await this.world[Symbol.asyncDispose]();
  }
}
