import type { CliIo } from './io.ts';

/** Says what is waited for: on a terminal in one line that is drawn again, else in a line of its own for each change. */
export interface Progress {
  say(text: string): void;
  /** Takes the line away, so that the result stands alone. */
  end(): void;
}

/** To the first column, and the line is empty. Source: ECMA-48, CR and EL. */
const afresh = '\r\u001b[K';

export function progressOn({
  isErrorTerminal,
  width = 80,
  writeError,
}: Pick<CliIo, 'isErrorTerminal' | 'width' | 'writeError'>): Progress {
  if (!isErrorTerminal) return { say: (text) => writeError(`${text}\n`), end: () => undefined };
  let isShown = false;
  return {
    say(text) {
      isShown = true;
      // A line that is wider would go on in the next, which nothing takes away.
      writeError(`${afresh}${text.length < width ? text : `${text.slice(0, width - 2)}…`}`);
    },
    end() {
      if (isShown) writeError(afresh);
    },
  };
}
