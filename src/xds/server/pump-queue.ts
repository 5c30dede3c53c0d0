/** Something that has work to do now and then: a stream with changes to send. */
export interface Pump {
  pump(): void;
}

/** How long one turn of the event loop may go to pumping. */
const turnMs = 5;
/** How many pumps that are not urgent go in one turn, and how often: at most 2,000 a second. */
const idleBatch = 20;
const idleEveryMs = 10;

/**
 * Gives all streams their turn after a publication, without keeping the event loop for itself. Those with something to
 * send come first. Those that only get the new manifest, as the change was for others, follow at a pace, and each gets
 * only the newest one when its turn comes: with a thousand nodes a busy hour would else be spent on manifests.
 */
export class PumpQueue {
  readonly #urgent = new Set<Pump>();
  readonly #idle = new Set<Pump>();
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  urgent(pump: Pump): void {
    this.#urgent.add(pump);
    this.#schedule();
  }

  idle(pump: Pump): void {
    this.#idle.add(pump);
    this.#schedule();
  }

  /**
   * At once, or behind the urgent ones that wait: a proxy that has taken a part of a change, and now gets the next, would else
   * go before one that has nothing of it yet.
   */
  inTurn(pump: Pump): void {
    if (this.#urgent.size === 0) pump.pump();
    else this.urgent(pump);
  }

  /** The urgent ones begin now: in the next turn they would go behind all that comes in meanwhile. Those of one turn go, the rest follows. */
  begin(): void {
    this.#runUrgent();
  }

  remove(pump: Pump): void {
    this.#urgent.delete(pump);
    this.#idle.delete(pump);
  }

  stop(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#urgent.clear();
    this.#idle.clear();
  }

  #schedule(): void {
    this.#immediate ??= setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#immediate = undefined;
    this.#runUrgent();
    if (this.#urgent.size > 0) this.#schedule();
    else if (this.#timer === undefined) this.#idleTurn();
  }

  #runUrgent(): void {
    const until = performance.now() + turnMs;
    for (const pump of this.#urgent) {
      this.#run(pump);
      if (performance.now() > until) break;
    }
  }

  #idleTurn(): void {
    this.#timer = undefined;
    for (const pump of this.#idle.values().take(idleBatch)) this.#run(pump);
    if (this.#idle.size > 0) this.#timer = setTimeout(() => this.#idleTurn(), idleEveryMs);
  }

  #run(pump: Pump): void {
    this.remove(pump);
    pump.pump();
  }
}
