/** One directive of nginx. */
export interface Directive {
  readonly name: string;
  /** Without quotes. */
  readonly args: readonly string[];
  /** It has a block, which is not looked into. */
  readonly hasBlock: boolean;
  /** From 1. */
  readonly line: number;
  /** As it is written, on one line, 120 characters at most. */
  readonly text: string;
}

/** Most directives of a snippet that are read; snippets are of strangers. */
export const mostDirectives = 1_000;

const lexemes =
  /\s+|#[^\n]*|"(?:\\[\s\S]|[^"\\])*"?|'(?:\\[\s\S]|[^'\\])*'?|[;{}]|(?:\$\{\w*\}|[^\s;{}"'])(?:\$\{\w*\}|[^\s;{}])*/gy;

/** Directives of a snippet; of one with a block only its head. What is not ended is one directive too. The work follows the text's length. */
export function parseDirectives(source: string): readonly Directive[] {
  const directives: Directive[] = [];
  let [line, depth, start, startLine] = [1, 0, -1, 1];
  let words: string[] = [];
  const add = (end: number, hasBlock: boolean): void => {
    const [name = '', ...args] = words;
    if (name !== '')
      directives.push({ name, args, hasBlock, line: startLine, text: oneLine(source.slice(start, end)) });
    words = [];
    start = -1;
  };
  for (const { 0: lexeme, index } of source.matchAll(lexemes)) {
    if (directives.length >= mostDirectives) break;
    const first = lexeme[0] ?? '';
    if (lexeme === '{') depth += 1;
    else if (lexeme === '}') {
      depth = Math.max(0, depth - 1);
      if (depth === 0) add(index + 1, true);
    } else if (depth === 0 && lexeme === ';') add(index + 1, false);
    else if (depth === 0 && first !== '#' && lexeme.trim() !== '') {
      if (start === -1) [start, startLine] = [index, line];
      words.push(unquoted(lexeme));
    }
    if (/\s|["']/.test(first)) line += lexeme.split('\n').length - 1;
  }
  add(source.length, depth > 0);
  return directives;
}

function unquoted(word: string): string {
  const [quote] = word;
  if (quote !== '"' && quote !== "'") return word;
  return word.slice(1, word.endsWith(quote) && word.length > 1 ? -1 : undefined).replaceAll(/\\([\s\S])/g, '$1');
}

function oneLine(text: string): string {
  const line = text.slice(0, 1_000).replaceAll(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
