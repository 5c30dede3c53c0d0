/**
 * What the regular expressions of one rule may weigh together, about the steps of their programs. Compiling takes some 10 ms by then, here and
 * in each proxy; a route has 16 rules.
 */
export const largestRegexWeight = 15_000;

/** What a class of Unicode weighs, alone and without regard to case: its ranges are many, and folded one by one. */
const unicodeWeight = 17;
const foldedUnicodeWeight = 50;

/**
 * About how many steps the program of an expression will have, found without making it: a few characters, such as `((a{100}){100}){100}`, make a
 * million. Syntax that is wrong is for the compiler to find.
 */
export function regexWeight(pattern: string): number {
  const ofUnicode = /\(\?[a-zA-Z]*i/.test(pattern) ? foldedUnicodeWeight : unicodeWeight;
  const groups: Group[] = [{ sum: 0, last: 0 }];
  const lexemes = /\\[pP](?:\{[^}]{0,64}\})?|\\[\s\S]|\{(\d{1,5})(?:,(\d{0,5}))?\}|[\s\S]/g;
  for (const [lexeme, least = '', most = ''] of pattern.matchAll(lexemes)) {
    const group = groups.at(-1) ?? { sum: 0, last: 0 };
    if (lexeme === '(') groups.push({ sum: 0, last: 0 });
    else if (lexeme === ')') close(groups);
    else if (least !== '') add(group, group.last * Math.max(0, Math.max(Number(least), Number(most)) - 1), group.last);
    else add(group, /^\\[pP]/.test(lexeme) ? ofUnicode : 1);
  }
  while (groups.length > 1) close(groups);
  return groups[0]?.sum ?? 0;
}

/** What is open, and the weight of the last thing in it, which a repetition behind it repeats. */
interface Group {
  sum: number;
  last: number;
}

function add(group: Group, weight: number, last = weight): void {
  group.sum += weight;
  group.last = last;
}

function close(groups: Group[]): void {
  if (groups.length === 1) return;
  const closed = groups.pop();
  const outer = groups.at(-1);
  if (closed && outer) add(outer, closed.sum + 1);
}
