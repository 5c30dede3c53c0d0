/** Far more than a reader follows. The parser's time grows with the square of what is nested; so many take it some milliseconds. */
const mostBrackets = 40;
const mostChoices = 8;

/**
 * Why a text is not parsed, with `LINE:COLUMN: ` in front; undefined: it may be. What is in quotes counts too: so nothing can be hidden there from
 * a reader that sees quotes where the parser sees none.
 */
export function celNestingFault(text: string): string | undefined {
  let [brackets, choices] = [0, 0];
  for (const { 0: sign, index } of text.matchAll(/[([{?]/g)) {
    if (sign === '?') choices += 1;
    else brackets += 1;
    if (brackets > mostBrackets || choices > mostChoices) {
      const most = brackets > mostBrackets ? `${mostBrackets} brackets` : `${mostChoices} question marks`;
      return `${celPlace(text, index)}: there are more than ${most}, with those in quotes: write several rules`;
    }
  }
  return undefined;
}

/** `LINE:COLUMN`, both from 1. */
export function celPlace(text: string, index: number): string {
  const before = text.slice(0, index).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** `syntax error: <input>:1:3: found | but expecting ')'`, where what is expected may be long. */
export function celSyntaxFault(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, place, what] = /<input>:(\d+:\d+): (.*)/s.exec(message) ?? [];
  const [found] = (what ?? message).split(', ');
  return `${place ?? '1:1'}: syntax error: ${(found ?? '').slice(0, 160)}`;
}
