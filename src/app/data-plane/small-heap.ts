import type { Clock } from '../../std/queue/index.ts';

export interface SmallHeapOptions {
  /** Sets a flag of V8. */
  readonly set: (flag: string) => void;
  readonly clock: Clock;
}

/** How often it is looked whether requests still wait for the agent. */
const lookMs = 5000;
/** So many questions in that time are traffic. */
const busy = 50;

/**
 * The agent runs beside every proxy, at rest nearly always, and then gets megabytes from Envoy for one answer. V8 would let its heap, and the
 * buffers that die with it, grow to twice as much before it looks for what is dead. With `--optimize-for-size` it looks earlier, for which the agent
 * pays with CPU while it works; docs/data-plane.md has the figures. NODE_OPTIONS does not take it.
 *
 * Each such look holds up the agent for tens of milliseconds. So V8 is to look later while requests wait for answers of the agent.
 */
export class SmallHeap {
  readonly #options: SmallHeapOptions;
  #isSmall = false;
  #asked = 0;
  #cancelLook: (() => void) | undefined;

  constructor(options: SmallHeapOptions) {
    this.#options = options;
    this.#make(true);
  }

  /** A request waits for an answer of the agent. */
  asked(): void {
    this.#asked += 1;
    if (this.#asked >= busy) this.#make(false);
    this.#look();
  }

  stop(): void {
    this.#cancelLook?.();
  }

  #look(): void {
    this.#cancelLook ??= this.#options.clock.after(lookMs, () => {
      this.#cancelLook = undefined;
      const isBusy = this.#asked >= busy;
      this.#asked = 0;
      if (isBusy) this.#look();
      else this.#make(true);
    });
  }

  #make(isSmall: boolean): void {
    if (isSmall === this.#isSmall) return;
    this.#isSmall = isSmall;
    this.#options.set(isSmall ? '--optimize-for-size' : '--no-optimize-for-size');
  }
}
