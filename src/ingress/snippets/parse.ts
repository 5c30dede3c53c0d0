/** One directive of nginx. */
export interface Directive {
  readonly name: string;
  /** Without quotes. */
  readonly args: readonly string[];
  readonly hasBlock: boolean;
  /** What its block has, as it is written, if it ends. */
  readonly body?: string;
  /** From 1. */
  readonly line: number;
  /** As it is written, on one line, 120 characters at most. */
  readonly text: string;
}

/** Most directives of a snippet that are read; snippets are of strangers. */
export const mostDirectives = 1_000;

const lexemes =
  /\s+|#[^\n]*|"(?:\\[\s\S]|[^"\\])*"?|'(?:\\[\s\S]|[^'\\])*'?|[;{}]|(?:\$\{\w*\}|[^\s;{}"'])(?:\$\{\w*\}|[^\s;{}])*/gy;

/** Directives of a snippet; those of blocks are text. What is not ended is one directive too. The work follows the text's length. */
export function parseDirectives(source: string): readonly Directive[] {
  const directives: Directive[] = [];
  let [line, depth, start, startLine] = [1, 0, -1, 1];
  let words: string[] = [];
  let bodyStart = -1;
  const add = (end: number, hasBlock: boolean, body?: string): void => {
    const [name = '', ...args] = words;
    if (name !== '')
      directives.push({
        name,
        args,
        hasBlock,
        ...(body !== undefined && { body }),
        line: startLine,
        text: oneLine(source.slice(start, end)),
      });
    words = [];
    start = -1;
    bodyStart = -1;
  };
  for (const { 0: lexeme, index } of source.matchAll(lexemes)) {
    if (directives.length >= mostDirectives) break;
    const first = lexeme[0] ?? '';
    if (lexeme === '{') {
      depth += 1;
      if (depth === 1) bodyStart = index + 1;
    } else if (lexeme === '}') {
      depth = Math.max(0, depth - 1);
      if (depth === 0) add(index + 1, true, bodyStart === -1 ? undefined : source.slice(bodyStart, index));
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

/** Without quotes, and with what nginx makes of escapes: those of quotes, backslashes, tabs and ends of lines. Others stay, as in expressions. */
function unquoted(word: string): string {
  const [quote] = word;
  const isQuoted = quote === '"' || quote === "'";
  const text = isQuoted ? word.slice(1, word.endsWith(quote) && word.length > 1 ? -1 : undefined) : word;
  return text.replaceAll(/\\(["'\\trn])/g, (_, mark: string) => ({ t: '\t', r: '\r', n: '\n' })[mark] ?? mark);
}

function oneLine(text: string): string {
  const line = text.slice(0, 1_000).replaceAll(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
