import { stat } from 'node:fs/promises';
import type { Clock } from '../clock.ts';

interface FollowOptions {
  /** Of the binary that is used now. */
  readonly path: () => string;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The binary has been replaced, and is written to the end. */
  readonly onChange: (path: string) => Promise<void>;
}

/** Checks until the signal whether a binary has been replaced. */
export async function followBinary({ path, everyMs, clock, signal, onChange }: FollowOptions): Promise<void> {
  let used = await markOf(path());
  let seen = used;
  while (!signal.aborted) {
    await clock.delay(everyMs, signal).catch(() => undefined);
    const mark = await markOf(path());
    // A file that is still being written is another one at every look.
    const isWhole = mark === seen;
    seen = mark;
    if (signal.aborted || !isWhole || mark === used || mark === undefined) continue;
    used = mark;
    await onChange(path());
  }
}

/** Differs when there may be another program; undefined: there is none. */
const markOf = (path: string): Promise<string | undefined> =>
  stat(path).then(
    ({ dev, ino, size, mtimeMs }) => [dev, ino, size, mtimeMs].join(' '),
    () => undefined,
  );
