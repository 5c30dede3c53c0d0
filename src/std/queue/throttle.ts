/** Does something at once when asked, and then at most once in `restMs`: what is asked meanwhile is done together after it. */
export class Throttle {
  readonly #restMs: number;
  readonly #act: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;

  /** `restMs`: milliseconds. */
  constructor(restMs: number, act: () => void) {
    this.#restMs = restMs;
    this.#act = act;
  }

  fire(): void {
    if (this.#timer !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#timer = setTimeout(() => this.#rested(), this.#restMs).unref();
    this.#act();
  }

  /** What is due is not done any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
  }

  #rested(): void {
    const isDue = this.#isDue;
    this.stop();
    if (isDue) this.fire();
  }
}
