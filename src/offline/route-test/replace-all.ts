import { runInNewContext } from 'node:vm';
import type * as ir from '../../ir/index.ts';

/** JavaScript's expressions can take time without end where RE2's cannot. */
const longestMs = 50;

/** A busy machine can stand still for that long. Then the expression has used less CPU time than this, and is tried again. */
const busyMicroseconds = 25_000;
const mostTries = 40;

/**
 * A text with all matches of an expression replaced, as RE2 does it. Undefined: the expression is one that JavaScript reads in another way, or takes
 * too long over; with the flag `u` it reads none in another way without saying so.
 */
export function replaceAll(text: string, { pattern, value }: ir.RegexReplacement): string | undefined {
  const [, ignoresCase, rest = ''] = /^(\(\?i\))?(.*)$/s.exec(pattern) ?? [];
  const source = rest.replaceAll('(?P<', '(?<');
  const given = { text, source, flags: ignoresCase ? 'giu' : 'gu', value };
  for (let tries = 0; tries < mostTries; tries += 1) {
    const before = process.threadCpuUsage();
    try {
      const made: unknown = runInNewContext(script, { ...given }, { timeout: longestMs });
      return typeof made === 'string' ? made : undefined;
    } catch (error) {
      const { user, system } = process.threadCpuUsage(before);
      const isTimeout = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      if (!isTimeout || user + system >= busyMicroseconds) return undefined;
    }
  }
  return undefined;
}

/** RE2 takes no empty match right behind another match. */
const script = String.raw`
let end = -1;
text.replace(new RegExp(source, flags), (...found) => {
  const offset = found.findIndex((part) => typeof part === 'number');
  const [whole] = found;
  const at = found[offset];
  if (whole === '' && at === end) return '';
  end = at + whole.length;
  return value.replace(/\\([\s\S])/g, (_, mark) => (mark === '\\' ? mark : mark < offset ? (found[mark] ?? '') : ''));
})`;
