import { statSync } from 'node:fs';

/**
 * Calls `look` when the file may say something else than at the call before; the first time soon. By looking at the file now and then:
 * a mounted ConfigMap is a link that changes its target, of which watches say nothing. Returns how to stop.
 */
export function followFile(path: string, look: () => void, everyMs: number): () => void {
  let seen: string | undefined;
  const timer = setInterval(() => {
    const now = markOf(path);
    if (now === seen) return;
    seen = now;
    look();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** Differs when the file may say something else. A path that cannot be looked at now, as one through a circle of links, says nothing. */
function markOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? [found.ino, found.mtimeMs, found.size].join(' ') : 'gone';
  } catch (error) {
    return (error as Error).message;
  }
}
