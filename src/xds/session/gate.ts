import type { Channel } from './channel.ts';
import type { Queue } from './type-traits.ts';

/** Queues in the order in which they are looked at. Routes are written before listeners, so that a new listener finds them. */
const queues: readonly Queue[] = ['cluster', 'free', 'extension', 'route', 'listener'];

/**
 * The order of sending on one stream: make before break.
 *
 * A round brings the client from one view of its gateway to the next, in these steps; each begins when the client has
 * answered (ACK or NACK) all of the step before. A type the client does not subscribe to has nothing to send.
 *
 *   inner      upserts of those of LDS that clusters lead to, where the client has listeners already
 *   clusters   upserts of CDS. Endpoints follow on their own, else Envoy would not finish warming and never answer.
 *   filters    upserts of ECDS
 *   routes     upserts of SRDS, RDS, VHDS, and right behind them all of LDS
 *   unroute    removals of SRDS, RDS, VHDS
 *   unguard    upserts of ECDS again, without what tables demanded before and routes may demand by now; then removals of ECDS
 *   break      removals of CDS
 *   tidy       removals of EDS and SDS that are still subscribed
 *
 * EDS and SDS upserts belong to no step: they go at once and hold up no client. So do removals that linger (TypeTraits.lingers), which
 * go some minutes later, between rounds.
 */
export class Gate {
  readonly #queues = new Map<Queue, Channel[]>();
  readonly #awaitsRoutes: () => boolean;

  /** `awaitsRoutes`: what is to be sent of ECDS depends on what the client has of routes, and it has not said so yet. */
  constructor(awaitsRoutes = () => false) {
    this.#awaitsRoutes = awaitsRoutes;
  }

  add(channel: Channel): void {
    const { queue } = channel.traits;
    const known = this.#queues.get(queue);
    if (known === undefined) this.#queues.set(queue, [channel]);
    else known.push(channel);
  }

  /** The next channel that has something to send and may send it now. */
  next(): Channel | undefined {
    const inner = this.#of('listener').find(({ outbox }) => outbox.innerReady);
    if (inner !== undefined) return inner;
    for (const queue of queues) {
      if (!this.#open(queue)) continue;
      if (queue === 'route' || queue === 'extension') for (const { outbox } of this.#of(queue)) outbox.sift();
      const ready = this.#of(queue).find(({ outbox }) => outbox.ready);
      if (ready !== undefined) return ready;
    }
    return undefined;
  }

  /** Begins the next step if it is time; false when there is none, because an answer is missing or the round is over. */
  advance(since: number): boolean {
    if (!this.quiet) return false;
    for (const queue of ['route', 'extension', 'cluster', 'free'] as const) {
      const holding = this.#of(queue).filter(({ outbox }) => outbox.hasRemovals);
      for (const { outbox } of holding) outbox.releaseRemovals(since);
      if (holding.length > 0) return true;
    }
    return false;
  }

  /** The round is over: all of its steps were answered. */
  get finished(): boolean {
    return this.quiet && queues.every((queue) => this.#of(queue).every(({ outbox }) => !outbox.hasRemovals));
  }

  /** The client has taken every route that it was to get, and lost every one that it was to lose. */
  get hasAllRoutes(): boolean {
    return this.#of('route').every(
      ({ outbox }) => outbox.behindSince === Number.POSITIVE_INFINITY && !outbox.removals.holdsAny,
    );
  }

  /** The first epoch of which the client has not taken everything. */
  get behindSince(): number {
    let since = Number.POSITIVE_INFINITY;
    for (const queue of queues) {
      for (const { outbox } of this.#of(queue)) since = Math.min(since, outbox.behindSince);
    }
    return since;
  }

  #open(queue: Queue): boolean {
    if (queue === 'free') return true;
    if (!this.#of('listener').every(({ outbox }) => outbox.innerQuiet)) return false;
    if (queue === 'cluster') return true;
    if (queue === 'extension' && this.#awaitsRoutes()) return false;
    return this.#isQuiet('cluster') && (queue !== 'route' || this.#isQuiet('extension'));
  }

  /** Nothing that takes part in the order is to be sent or unanswered. */
  get quiet(): boolean {
    return (['cluster', 'extension', 'route', 'listener'] as const).every((queue) => this.#isQuiet(queue));
  }

  #isQuiet(queue: Queue): boolean {
    return this.#of(queue).every(({ outbox }) => outbox.quiet);
  }

  #of(queue: Queue): readonly Channel[] {
    return this.#queues.get(queue) ?? [];
  }
}
