import { createContext, Script } from 'node:vm';
import type * as ir from '../../ir/index.ts';
import { runTimed } from '../../std/index.ts';

/** JavaScript's expressions can take time without end where RE2's cannot. */
const longestMs = 50;

/**
 * A text with all matches of an expression replaced, as RE2 does it. Undefined: the expression is one that JavaScript reads in another way, or takes
 * too long over; with the flag `u` it reads none in another way without saying so.
 */
export function replaceAll(text: string, { pattern, value }: ir.RegexReplacement): string | undefined {
  const [, ignoresCase, rest = ''] = /^(\(\?i\))?(.*)$/s.exec(pattern) ?? [];
  const source = rest.replaceAll('(?P<', '(?<');
  try {
    const context = createContext({ text, source, flags: ignoresCase ? 'giu' : 'gu', value });
    const made = runTimed(script, context, longestMs);
    return typeof made === 'string' ? made : undefined;
  } catch {
    return undefined;
  }
}

/** RE2 takes no empty match right behind another match. */
const script = new Script(String.raw`(() => {
  let end = -1;
  return text.replace(new RegExp(source, flags), (...found) => {
    const offset = found.findIndex((part) => typeof part === 'number');
    const [whole] = found;
    const at = found[offset];
    if (whole === '' && at === end) return '';
    end = at + whole.length;
    return value.replace(/\\([\s\S])/g, (_, mark) => (mark === '\\' ? mark : mark < offset ? (found[mark] ?? '') : ''));
  });
})()`);
