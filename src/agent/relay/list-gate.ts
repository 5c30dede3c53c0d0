import { isSlotLists } from '../../contracts/index.ts';
import { typeUrls } from '../../envoy/wire/index.ts';
import type { Clock } from '../clock.ts';
import type { DeltaResponse } from './delta-messages.ts';
import { goneMs, ListenerDrains, overdueMs } from './listener-drains.ts';

/** The present Envoy, as far as the gate looks at it. */
export interface GatedEnvoy {
  readonly drainTimeMs: number;
  /** Rejects when Envoy cannot be asked. */
  readonly listenerWork: () => Promise<ListenerWork>;
}

/** What Envoy's listener manager has to do. */
export interface ListenerWork {
  /** Listeners, and filter chains of listeners that stay. */
  readonly draining: number;
  /** Listeners that wait for what they need. */
  readonly warming: number;
}

type Send = (response: DeltaResponse) => void;

interface Waiting {
  readonly response: DeltaResponse;
  readonly send: Send;
}

const lookMs = 250;
/** While something waits. */
const waitingLookMs = 50;

/**
 * Keeps changes of lists (`lists/…`, ECDS) from Envoy while it destroys a listener or a filter chain. A list is found through a filter chain that is ECDS
 * itself, and Envoy 1.40 destroys that in two steps: first the listener, then, when each worker has been through its loop, what leads to the list.
 * A change of the list between the two reads the listener that is gone, and ends Envoy.
 *
 * Envoy destroys a listener at the end of its drain, or at once when another comes while it warms. Whatever Envoy has not had before passes: nothing that
 * is destroyed leads there. The order of the answers stays, so others of ECDS wait behind.
 */
export class ListGate {
  readonly #clock: Clock;
  /** Lists that this Envoy was sent. */
  readonly #known = new Set<string>();
  readonly #waiting: Waiting[] = [];
  #drains: ListenerDrains;
  /** When Envoy was sent listeners, as far as what they replaced may still drain. */
  #sentAt: readonly number[] = [];
  /** Answers with listeners that Envoy has not answered. */
  #unanswered = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** Something may drain or warm. */
  #isWatching = false;
  #drainTimeMs = 0;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#drains = new ListenerDrains(this.#now());
  }

  /** Envoy has a new stream: what waited for it on the one before is sent again anyway. */
  joined(): void {
    this.#waiting.length = 0;
    this.#unanswered = 0;
  }

  /** It is another Envoy, which has nothing. */
  forget(): void {
    this.#known.clear();
    this.#drains = new ListenerDrains(this.#now());
    this.#isWatching = false;
    this.#sentAt = [];
  }

  /** Sends an answer, now or when the gate opens. */
  pass(response: DeltaResponse, send: Send): void {
    if (response.typeUrl === typeUrls.listener) this.#listenersSent();
    if (response.typeUrl === typeUrls.extension && this.#holdsBack(response)) {
      this.#waiting.push({ response, send });
      this.#wake?.();
    } else send(response);
  }

  /** Envoy has taken or rejected listeners. */
  listenersAnswered(): void {
    this.#unanswered = Math.max(0, this.#unanswered - 1);
    this.#answeredAt = this.#now();
  }

  #listenersSent(): void {
    this.#unanswered += 1;
    const now = this.#now();
    this.#sentAt = [...this.#sentAt.filter((at) => now < at + this.#drainTimeMs + overdueMs), now];
    if (this.#known.size > 0) this.#watch(now);
  }

  /** Whether an answer with extensions waits. */
  #holdsBack({ resources }: DeltaResponse): boolean {
    const lists = resources.filter(({ name }) => isSlotLists(name));
    const isChange = lists.some(({ name }) => this.#known.has(name));
    // What has drained until now without lists may have been given some by then.
    if (this.#known.size === 0 && lists.length > 0) this.#watch(this.#sentAt[0] ?? this.#now());
    for (const { name } of lists) this.#known.add(name);
    return this.#waiting.length > 0 || (isChange && this.#isClosed());
  }

  /** Looks at Envoy while something drains, until `signal` is aborted. Never rejects. */
  async run(envoy: GatedEnvoy, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
    while (!signal.aborted) {
      this.#drainTimeMs = envoy.drainTimeMs;
      if (this.#isWatching) await this.#look(envoy.listenerWork);
      this.#flush();
      const isWaiting = this.#waiting.length > 0;
      if (isWaiting || this.#isWatching)
        await this.#clock.delay(isWaiting ? waitingLookMs : lookMs, signal).catch(() => undefined);
      else await this.#called();
    }
  }

  /** Nothing drained until `idleUntil`, unless it is known. */
  #watch(idleUntil: number): void {
    if (!this.#isWatching) this.#drains.idleUntil(idleUntil);
    this.#isWatching = true;
    this.#wake?.();
  }

  async #look(listenerWork: GatedEnvoy['listenerWork']): Promise<void> {
    try {
      const { draining, warming } = await listenerWork();
      const now = this.#now();
      this.#drains.seen(draining, now, this.#drainTimeMs);
      const isQuiet = draining === 0 && warming === 0 && this.#unanswered === 0;
      if (isQuiet && !this.#isClosed()) this.#isWatching = false;
    } catch {
      // It is gone or busy; what drains is not known until the next look.
    }
  }

  #isClosed(): boolean {
    const now = this.#now();
    return (
      this.#isWatching &&
      (this.#unanswered > 0 || now < this.#answeredAt + goneMs || this.#drains.endsAbout(now, this.#drainTimeMs))
    );
  }

  #flush(): void {
    for (let next = this.#waiting[0]; next && !this.#isClosed(); next = this.#waiting[0]) {
      this.#waiting.shift();
      next.send(next.response);
    }
  }

  #now(): number {
    return this.#clock.now().getTime();
  }

  #called(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
