import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';

/** An answer that takes so long does not come. */
const longestWaitMs = 10_000;

/** Pings of HTTP/2. */
export function pingsOf({
  interval,
  timeout,
}: {
  readonly interval: string;
  readonly timeout?: string | undefined;
}): ir.Http2Keepalive {
  const intervalMs = parseDurationMs(interval) ?? 0;
  const given = timeout === undefined ? undefined : parseDurationMs(timeout);
  return { intervalMs, timeoutMs: given ?? Math.min(Math.ceil(intervalMs / 2), longestWaitMs) };
}
