import { signal } from '@preact/signals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { apiUrl, ask, asksToken } from './client.ts';
import { isSeen } from './seen.ts';
import { token } from './token.ts';

/** Whether events arrive. Without them the page still looks again by itself. */
export const isFollowing = signal(false);

/** What the stream says; further fields are those of the type. `reset`: some of what happened is lost. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

type Listener = (event: StreamEvent) => void;
const listeners = new Set<Listener>();

/** Calls back for each event of the control plane until the result is called. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const firstPauseMs = 1_000;
const longestPauseMs = 15_000;
/** The control plane writes something every 15 s: when nothing came so long, a proxy on the way holds it back. */
const silenceMs = 25_000;

let lastId: string | undefined;

/** What the tab that reads the stream tells the others. */
type Told =
  | { readonly id: string | undefined; readonly event: StreamEvent }
  | { readonly isFollowing: boolean }
  | 'who';

/** Behind other prefixes of the same origin are other control planes. */
const name = `gatewright.events ${window.location.pathname}`;

/**
 * Follows the events until aborted. A browser opens six connections to a server of HTTP/1.1, and a stream takes one: so one tab reads it and tells
 * the others. Locks exist in secure contexts only (HTTPS, localhost); elsewhere each tab reads for itself. Source: Web Locks API.
 */
export async function followEvents(abort: AbortSignal): Promise<void> {
  if (navigator.locks === undefined) return await whileSeen(abort, (seen) => lead(seen, () => undefined));
  const channel = new BroadcastChannel(name);
  let isLeading = false;
  const tell = (told: Told): void => channel.postMessage(told);
  channel.onmessage = ({ data: told }: MessageEvent<Told>) => {
    if (told === 'who') {
      if (isLeading) tell({ isFollowing: isFollowing.peek() });
    } else if (isLeading) return;
    else if ('isFollowing' in told) isFollowing.value = told.isFollowing;
    else deliver(told.id, told.event);
  };
  abort.addEventListener('abort', () => channel.close());
  tell('who');
  await whileSeen(abort, async (seen) => {
    await navigator.locks.request(name, { signal: seen }, async () => {
      isLeading = true;
      await lead(seen, tell);
      isLeading = false;
    });
    // A tab without a token lets others read.
    if (asksToken.peek() !== 'no') await pause(longestPauseMs, seen);
  });
}

/** Does it again and again while the tab is seen, until aborted: a hidden tab leaves the stream to others. */
async function whileSeen(abort: AbortSignal, work: (seen: AbortSignal) => Promise<void>): Promise<void> {
  while (!abort.aborted) {
    await untilSeen();
    const hidden = new AbortController();
    const forget = isSeen.subscribe((is) => {
      if (!is) hidden.abort();
    });
    await work(AbortSignal.any([abort, hidden.signal])).catch(() => undefined);
    forget();
  }
}

const untilSeen = (): Promise<void> =>
  new Promise((resolve) => {
    const forget = isSeen.subscribe((is) => {
      if (!is) return;
      setTimeout(() => forget());
      resolve();
    });
  });

/** Reads the stream again and again, until aborted or a token is asked for. `EventSource` cannot send a token, so this reads it itself. */
async function lead(abort: AbortSignal, tell: (told: Told) => void): Promise<void> {
  const follows = (is: boolean): void => {
    isFollowing.value = is;
    tell({ isFollowing: is });
  };
  for (let pauseMs = firstPauseMs; !abort.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      await readStream(abort, tell, () => {
        pauseMs = firstPauseMs;
        follows(true);
      });
    } catch {
      // What is wrong shows in the other requests of the page.
    }
    follows(false);
    if (asksToken.peek() !== 'no' && navigator.locks !== undefined) return;
    await pause(pauseMs, abort);
  }
}

async function readStream(abort: AbortSignal, tell: (told: Told) => void, onOpen: () => void): Promise<void> {
  const silence = new AbortController();
  const waitOn = (): ReturnType<typeof setTimeout> => setTimeout(() => silence.abort(), silenceMs);
  let timer = waitOn();
  let isOpen = false;
  try {
    const response = await ask(apiUrl('/v1/events'), {
      headers: { Accept: 'text/event-stream', ...(lastId !== undefined && { 'Last-Event-ID': lastId }) },
      signal: AbortSignal.any([abort, silence.signal]),
    });
    const parser = createParser({
      onEvent({ id, event: type = 'message', data }: EventSourceMessage) {
        const event: StreamEvent = { ...(JSON.parse(data) as object), type };
        tell({ id, event });
        deliver(id, event);
      },
    });
    const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      clearTimeout(timer);
      timer = waitOn();
      // Only what has arrived says that nothing on the way gathers it.
      if (!isOpen) onOpen();
      isOpen = true;
      parser.feed(next.value);
    }
  } finally {
    clearTimeout(timer);
  }
}

function deliver(id: string | undefined, event: StreamEvent): void {
  if (id !== undefined) lastId = id;
  for (const listener of listeners) listener(event);
}
/** Until the time is over, the token is another, or it is aborted. */
const pause = (ms: number, abort: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const given = token.peek();
    const end = (): void => {
      clearTimeout(timer);
      unsubscribe();
      abort.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    const unsubscribe = token.subscribe((now) => {
      if (now !== given) setTimeout(end);
    });
    abort.addEventListener('abort', end);
  });
