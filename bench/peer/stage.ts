import type { Patience } from '../support/patience.ts';
import { Gatewright } from './gatewright.ts';
import { type Peers, preparePeer } from './peers.ts';
import type { Subject } from './subject.ts';
import { World } from './world.ts';

/** A world, and the subjects that are in it so far. */
export class Stage implements AsyncDisposable {
  readonly world: World;
  readonly #peers: Peers;
  readonly #subjects = new Map<string, Subject>();

  private constructor(world: World, peers: Peers) {
    this.world = world;
    this.#peers = peers;
  }

  static async open(peers: Peers, patience: Patience): Promise<Stage> {
    const all = [...peers.values()].flatMap(({ definitions }) => (definitions === undefined ? [] : [definitions]));
    return new Stage(await World.open({ definitions: [...new Set(all)], patience }), peers);
  }

  /** `name`: `gatewright`, or one of the peers that were built. */
  async subject(name: string): Promise<Subject> {
    const subject = this.#subjects.get(name) ?? (await this.#prepare(name));
    this.#subjects.set(name, subject);
    return subject;
  }

  #prepare(name: string): Promise<Subject> {
    return name === 'gatewright' ? Gatewright.prepare(this.world) : preparePeer(this.world, this.#peers, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { probe } of this.#subjects.values()) probe.close();
    await this.world[Symbol.asyncDispose]();
  }
}
