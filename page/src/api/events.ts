import { signal } from '@preact/signals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { apiUrl, ask } from './client.ts';
import type { Event } from './gen/types.ts';
import { token } from './token.ts';

/** Whether events arrive. Without them the page still looks again by itself. */
export const isFollowing = signal(false);

type Listener = (event: Event) => void;
const listeners = new Set<Listener>();

/** Calls back for each event of the control plane until the result is called. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

let lastId: string | undefined;

/** Follows the events until aborted. `EventSource` cannot send a token, so this reads the stream itself. */
export async function followEvents(abort: AbortSignal): Promise<void> {
  for (let pauseMs = firstPauseMs; !abort.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      await readStream(abort, () => {
        pauseMs = firstPauseMs;
      });
    } catch {
      // What is wrong shows in the other requests of the page.
    }
    isFollowing.value = false;
    await pause(pauseMs, abort);
  }
}

async function readStream(abort: AbortSignal, onOpen: () => void): Promise<void> {
  const response = await ask(apiUrl('/v1/events'), {
    headers: { Accept: 'text/event-stream', ...(lastId !== undefined && { 'Last-Event-ID': lastId }) },
    signal: abort,
  });
  isFollowing.value = true;
  onOpen();
  const parser = createParser({ onEvent: deliver });
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) parser.feed(next.value);
}

function deliver({ id, data }: EventSourceMessage): void {
  if (id !== undefined) lastId = id;
  const event = JSON.parse(data) as Event;
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
