import { HttpError } from '../../http/index.ts';

/** So many questions are asked of the API server at once, and so many for one address: strangers may send tokens, too. */
const maxQuestions = 32;
const maxOfOnePeer = 8;

/** Lets only so many questions be open at once. */
export class Turnstile {
  readonly #open = new Map<string, number>();
  #total = 0;

  /** Runs the question; rejects with 503 `identity_unavailable` when too many are open. */
  async pass<T>(peer: string, ask: () => Promise<T>): Promise<T> {
    const own = this.#open.get(peer) ?? 0;
    if (this.#total >= maxQuestions || own >= maxOfOnePeer)
      throw new HttpError('identity_unavailable', 'too many tokens are being checked at once; try again', {
        headers: { 'Retry-After': '1' },
      });
    this.#total += 1;
    this.#open.set(peer, own + 1);
    try {
      return await ask();
    } finally {
      this.#total -= 1;
      const left = (this.#open.get(peer) ?? 1) - 1;
      if (left === 0) this.#open.delete(peer);
      else this.#open.set(peer, left);
    }
  }
}
