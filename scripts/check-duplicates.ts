/**
 * Code that is written twice: runs of tokens that occur at two places of src, bin or scripts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourcesBelow } from './check-imports.ts';
import type { Findings } from './ratchet.ts';

/** Shorter runs are idioms, not copies: about ten lines. */
const MIN_TOKENS = 70;
/** Comments, names, numbers, strings, and every other sign by itself. Only comments are no token. */
const TOKEN = /\/\*[\s\S]*?\*\/|\/\/.*|[\w$#]+|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|[^\s\w]/g;
/** Lists of imports and re-exports are alike by nature. */
const IMPORTS = /^(?:import|export)\b[^;(]*?\bfrom\s+'[^']+';|^import\s+'[^']+';/gm;

interface Token {
  readonly text: string;
  readonly line: number;
}
interface Place {
  readonly file: string;
  readonly at: number;
}

/** Runs of tokens that are the same at two places, one line each. */
export function checkDuplicates(root: string): Findings {
  const files = ['src', 'bin', 'scripts'].flatMap((folder) => sourcesBelow(root, folder));
  const tokens = new Map(files.map((file) => [file, tokensOf(readFileSync(join(root, file), 'utf8'))]));
  return { 'runs of code written twice': duplicatesOf(tokens) };
}

/** The tokens of a source, without comments and imports. */
export function tokensOf(source: string): readonly Token[] {
  const code = source.replace(IMPORTS, (found) => found.replace(/[^\n]/g, ' '));
  const tokens: Token[] = [];
  let line = 1;
  let end = 0;
  for (const match of code.matchAll(TOKEN)) {
    line += linesIn(code.slice(end, match.index));
    if (!/^\/[/*]/.test(match[0])) tokens.push({ text: match[0], line });
    line += linesIn(match[0]);
    end = match.index + match[0].length;
  }
  return tokens;
}

const linesIn = (text: string) => text.split('\n').length - 1;

/** The longest runs that begin at each place, each reported where it occurs first. */
export function duplicatesOf(files: ReadonlyMap<string, readonly Token[]>): readonly string[] {
  const seen = new Map<string, Place>();
  const found: string[] = [];
  for (const [file, tokens] of files) {
    for (let at = 0; at + MIN_TOKENS <= tokens.length; at++) {
      const window = tokens
        .slice(at, at + MIN_TOKENS)
        .map(({ text }) => text)
        .join(' ');
      const first = seen.get(window);
      if (first === undefined) seen.set(window, { file, at });
      else if (first.file !== file || first.at + MIN_TOKENS <= at) {
        const length = runLength(files.get(first.file) ?? [], first.at, tokens, at);
        found.push(describe(files, first, { file, at }, length));
        at += length - 1;
      }
    }
  }
  return found;
}

/** How many tokens are the same from both places on. */
function runLength(left: readonly Token[], leftAt: number, right: readonly Token[], rightAt: number): number {
  let length = 0;
  while (right[rightAt + length] && left[leftAt + length]?.text === right[rightAt + length]?.text) length++;
  return length;
}

function describe(files: ReadonlyMap<string, readonly Token[]>, first: Place, second: Place, length: number): string {
  const lineOf = ({ file, at }: Place) => `${file}:${files.get(file)?.[at]?.line}`;
  return `${lineOf(second)}: ${length} tokens as at ${lineOf(first)}`;
}
