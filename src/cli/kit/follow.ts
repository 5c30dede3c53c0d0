import { setTimeout as delay } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { AdminClient } from './admin-client.ts';

export interface FollowOptions {
  /** With commas; all when left out. */
  readonly types?: string | undefined;
  readonly signal: AbortSignal;
  /** Called when the connection is lost; another is tried until the signal ends it all. */
  readonly onLost: (error: Error) => void;
  /** Between two tries. Default 2000. */
  readonly retryMs?: number;
}

/**
 * What happens at the control plane, over as many connections as it takes: the type of each event, and `connected` whenever a connection begins.
 * A later connection goes on behind the last event seen (`Last-Event-ID`). Throws a CliError when the first connection fails.
 */
export async function* follow(
  client: AdminClient,
  { types, signal, onLost, retryMs = 2_000 }: FollowOptions,
): AsyncGenerator<string> {
  const path = `/v1/events${types === undefined ? '' : `?types=${types}`}`;
  let lastId: string | undefined;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
      const body = await client.stream(path, { headers, signal });
      isFirst = false;
      yield 'connected';
      const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { event = 'message', id } of events) {
        lastId = id || lastId;
        yield event;
      }
      if (!signal.aborted) onLost(new Error('the control plane ended the stream'));
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst) throw error;
      onLost(error as Error);
    }
    await delay(retryMs, undefined, { signal }).catch(() => {});
  }
}
