import { type ReadonlySignal, signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, asksToken, get, isSeen, onEvent, silentMs, silentSince, token } from '../api/index.ts';

/** What a question was answered last. */
export interface Live<T> {
  /** Undefined until the first answer. Stays while later questions fail. */
  readonly data: T | undefined;
  /** Why the last question failed; undefined when it did not. */
  readonly error: ApiError | undefined;
  /** When the data were read. */
  readonly at: Date | undefined;
  /** Asks again at once. */
  refresh(): void;
}

export interface LiveOptions {
  /** Milliseconds between two questions of a page that is seen; 10,000 by default. */
  readonly everyMs?: number;
  /** Asks again soon after an event of these types. */
  readonly on?: readonly string[];
}

/** Milliseconds in which events are taken together. */
const gatherMs = 300;
/** Milliseconds between questions that events cause, at least. */
const restMs = 1_000;

const changeEvents = ['snapshot', 'problem'] as const;
/** For what changes with failed requests, too. */
export const trafficEvents = [...changeEvents, 'traffic'] as const;

/** Asks `url` again and again while the component is shown: in steps, after events, and when the page is seen again. Null: nothing to ask. */
export function useLive<T>(url: string | null, { everyMs = 10_000, on = changeEvents }: LiveOptions = {}): Live<T> {
  const state = useSignal<Omit<Live<T>, 'refresh'> & { readonly url: string | null }>(nothing(url));
  const asking = useRef<() => void>(() => undefined);
  const types = on.join(' ');
  useEffect(() => {
    if (url === null) return undefined;
    state.value = state.peek().url === url ? state.peek() : nothing(url);
    const asker = new Asker<T>(url, everyMs, (change) => {
      state.value = { ...state.peek(), ...change, url };
    });
    asking.current = () => asker.soon(0);
    const forget = onEvent(({ type }) => {
      // After `reset` some of what happened is not known.
      if (type === 'reset' || types.split(' ').includes(type)) asker.soon(gatherMs);
    });
    return () => {
      forget();
      asker.end();
    };
  }, [url, everyMs, types]);
  useSignalEffect(() => {
    // Another token, eyes on the page, or an answer after a silence: what is shown may be old.
    const mayAsk = token.value !== '' || asksToken.value === 'no';
    if (isSeen.value && silentSince.value === undefined && mayAsk) asking.current();
  });
  const { data, error, at } = state.value.url === url ? state.value : nothing(url);
  return { data: data as T | undefined, error, at, refresh: () => asking.current() };
}

const nothing = (url: string | null) => ({ data: undefined, error: undefined, at: undefined, url });

/** Asks one URL, one question at a time. */
class Asker<T> {
  readonly #abort = new AbortController();
  readonly #url: string;
  readonly #everyMs: number;
  readonly #report: (change: Partial<Omit<Live<T>, 'refresh'>>) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #askedAt = 0;
  #isAsking = false;
  #asksAgain = false;

  constructor(url: string, everyMs: number, report: (change: Partial<Omit<Live<T>, 'refresh'>>) => void) {
    this.#url = url;
    this.#everyMs = everyMs;
    this.#report = report;
    this.soon(0);
  }

  soon(ms: number): void {
    if (this.#abort.signal.aborted) return;
    const now = Date.now();
    const dueAt = Math.max(now + ms, ms === 0 ? 0 : this.#askedAt + restMs);
    if (dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.#ask(), dueAt - now);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async #ask(): Promise<void> {
    this.#dueAt = Number.POSITIVE_INFINITY;
    if (!isSeen.peek()) return;
    if (this.#isAsking) {
      // The answer on its way may be older than the reason to ask.
      this.#asksAgain = true;
      return;
    }
    this.#isAsking = true;
    this.#askedAt = Date.now();
    try {
      const data = await get<T>(this.#url, this.#abort.signal);
      this.#report({ data, error: undefined, at: new Date() });
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.#report({ error });
    } finally {
      this.#isAsking = false;
    }
    this.soon(this.#restMs());
  }

  #restMs(): number {
    const asksAgain = this.#asksAgain;
    this.#asksAgain = false;
    if (asksAgain) return gatherMs;
    return silentSince.peek() === undefined ? this.#everyMs : Math.min(this.#everyMs, silentMs);
  }
}

/** The present time, once a second, for "3 seconds ago". */
const clock = signal(new Date());
setInterval(() => {
  if (isSeen.peek()) clock.value = new Date();
}, 1_000);
export const now: ReadonlySignal<Date> = clock;
