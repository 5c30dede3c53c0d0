import { type Context, createContext, Script } from 'node:vm';
import { runTimed } from '../../std/index.ts';

/** An expression of nginx, tried on a text. */
export interface NginxRegex {
  /** Groups with the whole match first; undefined: no match; `unknown`: only nginx can say, or it takes too long. */
  match(text: string): readonly (string | undefined)[] | undefined | 'unknown';
}

/** Expressions are of strangers: one that takes more CPU time is given up, and not tried again. */
const longestMs = 100;

/** What PCRE reads in another way than JavaScript, or JavaScript does not know. */
const onlyPcre = /[*+?}]\+|\(\?[>|#&RP0-9+-]|\(\?\([^)]|\\[AZzGKQEhHRXNCgk]|\(\*|\(\?[a-z]+[):-]/;

/** A regular expression of nginx; those of locations and rewrites ignore case. `fault`: nginx takes no such configuration. */
export function nginxRegex(
  pattern: string,
  { ignoresCase = true }: { readonly ignoresCase?: boolean } = {},
): NginxRegex | { readonly fault: string } {
  const source = posixClasses(
    unquoted(pattern)
      .replace(/^\(\?i\)/, '')
      .replaceAll('(?P<', '(?<'),
  );
  if (onlyPcre.test(source)) return { match: () => 'unknown' };
  try {
    new RegExp(source);
  } catch (error) {
    return { fault: (error as Error).message };
  }
  return new TimedRegex(source, ignoresCase ? 'i' : '');
}

/** What nginx's configuration makes of a word between double quotes. */
const unquoted = (text: string): string =>
  text.replaceAll(/\\(["'\\trn])/g, (_, mark: string) => ({ t: '\t', r: '\r', n: '\n' })[mark] ?? mark);

const classes: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  word: '\\w',
  space: '\\s',
  xdigit: 'A-Fa-f0-9',
};

const posixClasses = (source: string): string =>
  source.replaceAll(/\[:([a-z]+):\]/g, (written, name: string) => classes[name] ?? written);

/** All expressions are tried in one context: to make one takes longer than most expressions do. */
let shared: Context | undefined;

const attempt = new Script(
  '(() => { const found = new RegExp(source, flags).exec(text); return found && [...found]; })()',
);

class TimedRegex implements NginxRegex {
  readonly #source: string;
  readonly #isQuick: boolean;
  readonly #regex: RegExp;
  #isHopeless = false;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#regex = new RegExp(source, flags);
    // Without a repetition inside of another, or beside one, it takes at most the square of the text's length.
    this.#isQuick = (source.match(/[*+}]/g) ?? []).length <= 1;
  }

  match(text: string): readonly (string | undefined)[] | undefined | 'unknown' {
    if (this.#isQuick) return this.#regex.exec(text) ?? undefined;
    if (this.#isHopeless) return 'unknown';
    shared ??= createContext(Object.create(null));
    Object.assign(shared, { source: this.#source, flags: this.#regex.flags, text });
    try {
      return (runTimed(attempt, shared, longestMs) as readonly (string | undefined)[] | null) ?? undefined;
    } catch {
      this.#isHopeless = true;
      return 'unknown';
    }
  }
}
