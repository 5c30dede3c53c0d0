import type { WireResource } from './delta-messages.ts';
import type { Answer } from './held-type.ts';

/** An answer that Envoy has not answered yet. */
export interface Push {
  readonly answer: Answer;
  readonly systemVersion: string;
  /** The agent made it: from what it holds, from what Envoy rejected before, or `blank`, which nothing is learned from. */
  readonly own?: 'held' | 'rejected' | 'blank';
  /** Nonce on the present upstream stream; undefined: generated from what the agent holds, or its upstream stream is gone. */
  upstreamNonce?: string;
  /** Nonce on Envoy's present stream; undefined: parked until Envoy asks for the type. */
  sentNonce?: string;
  /** How many of Envoy's streams ended between sending it and Envoy's answer. */
  lost: number;
}

/** After so many of Envoy's ends over one and the same answer, the agent rejects it in Envoy's place. */
const maxLost = 3;

/** The answers of one type under way to Envoy, in the order of sending: *sent* on its present stream, or *parked* until it asks there. */
export class Pushes {
  #all: Push[] = [];

  /** Parked ones among them. */
  get size(): number {
    return this.#all.length;
  }

  /** They wait for Envoy to ask for the type on its present stream. */
  get parked(): readonly Push[] {
    return this.#all.filter(({ sentNonce }) => sentNonce === undefined);
  }

  /** What Envoy was sent on its present stream and has not answered. */
  get sentResources(): readonly WireResource[] {
    return this.#all.flatMap(({ sentNonce, answer }) => (sentNonce === undefined ? [] : answer.resources));
  }

  add(push: Push): void {
    this.#all.push(push);
  }

  /** Takes out the one that Envoy answers with this nonce of its stream. */
  takeSent(nonce: string): Push | undefined {
    const push = this.#all.find(({ sentNonce }) => sentNonce !== undefined && sentNonce === nonce);
    if (push) this.#all.splice(this.#all.indexOf(push), 1);
    return push;
  }

  takeAll(): Push[] {
    return this.#all.splice(0);
  }

  /**
   * Envoy's stream ended: parks what the control plane sent. What the agent made is made again for the next stream. Gives those that Envoy's stream has
   * ended over too often, which are no longer here.
   */
  envoyLeft(): readonly Push[] {
    const left = this.#all.filter(({ upstreamNonce }) => upstreamNonce !== undefined);
    for (const push of left) {
      if (push.sentNonce !== undefined) push.lost += 1;
      push.sentNonce = undefined;
    }
    this.#all = left.filter(({ lost }) => lost < maxLost);
    return left.filter(({ lost }) => lost >= maxLost);
  }

  /** The control plane's stream ended: what is parked will come again on the next, and nothing hears of Envoy's answers to the rest. */
  controlPlaneLeft(): void {
    this.#all = this.#all.filter(({ sentNonce }) => sentNonce !== undefined);
    for (const push of this.#all) push.upstreamNonce = undefined;
  }
}
