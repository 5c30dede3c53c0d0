import { setTimeout as delay } from 'node:timers/promises';
import type { AdminClient } from './admin-client.ts';
import { follow } from './follow.ts';

export interface WatchOptions<T> {
  /** Events after which it may look different, with commas; all when left out. */
  readonly types?: string | undefined;
  readonly read: () => Promise<T>;
  /** Called with what was read, first and after every change. */
  readonly show: (value: T, before: T | undefined) => void;
  readonly signal: AbortSignal;
  /** Called for lost connections and failed reads. */
  readonly onLost: (error: Error) => void;
}

/** Events within this time are one reason to look again. */
const gatherMs = 100;

/** Reads and shows, and does so again after everything that happens at the control plane, until the signal ends it. */
export async function watch<T>(
  client: AdminClient,
  { types, read, show, signal, onLost }: WatchOptions<T>,
): Promise<void> {
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  let wake = Promise.withResolvers<void>();
  const following = (async () => {
    for await (const _ of follow(client, { types, signal: either, onLost })) wake.resolve();
  })();
  const over = following.finally(() => {
    ended.abort();
    wake.resolve();
  });
  over.catch(() => {});
  let before: T | undefined;
  for (;;) {
    await wake.promise;
    if (either.aborted) return await over;
    await delay(gatherMs, undefined, { signal: either }).catch(() => {});
    wake = Promise.withResolvers();
    try {
      const value = await read();
      show(value, before);
      before = value;
    } catch (error) {
      // Whatever is amiss, the next connection brings us back here.
      onLost(error as Error);
    }
  }
}
