import type { Clock } from '../../std/queue/index.ts';

interface Standing {
  readonly id: string | undefined;
  readonly since: number;
}

/**
 * Whether this replica and others publish the same snapshot. They differ for moments, as news reach them one after the other; while
 * everything changes all the time, they may never be seen to be equal. So two disagree when their snapshots differ for long and
 * one of them has not changed for as long.
 */
export class Agreement {
  readonly #disagreeMs: number;
  readonly #clock: Clock;
  #own: Standing = { id: undefined, since: 0 };
  /** By identity. */
  readonly #others = new Map<string, Standing & { readonly differsSince: number | undefined }>();

  constructor(disagreeMs: number, clock: Clock) {
    this.#disagreeMs = disagreeMs;
    this.#clock = clock;
  }

  setOwn(id: string | undefined): void {
    if (id === this.#own.id) return;
    this.#own = { id, since: this.#clock.now() };
    for (const [identity, { id: theirs, since }] of this.#others) this.#compare(identity, { id: theirs, since });
  }

  set(identity: string, id: string | undefined): void {
    const known = this.#others.get(identity);
    this.#compare(identity, known !== undefined && known.id === id ? known : { id, since: this.#clock.now() });
  }

  forget(identity: string): void {
    this.#others.delete(identity);
  }

  /** For how long the replica disagrees with us, in milliseconds; undefined when it does not. */
  disagreesFor(identity: string): number | undefined {
    const other = this.#others.get(identity);
    if (other?.differsSince === undefined) return undefined;
    const now = this.#clock.now();
    const differsFor = now - other.differsSince;
    const unchangedFor = now - Math.min(this.#own.since, other.since);
    return Math.min(differsFor, unchangedFor) > this.#disagreeMs ? differsFor : undefined;
  }

  #compare(identity: string, { id, since }: Standing): void {
    const before = this.#others.get(identity)?.differsSince;
    const differs = id !== undefined && this.#own.id !== undefined && id !== this.#own.id;
    this.#others.set(identity, { id, since, differsSince: differs ? (before ?? this.#clock.now()) : undefined });
  }
}
