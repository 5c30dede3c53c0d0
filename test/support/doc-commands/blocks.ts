import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/paths.mjs';

/** A block of commands of a page: each is one line, or several that end in a backslash. */
export interface CommandBlock {
  readonly page: string;
  readonly commands: readonly string[];
}

/** Pages whose commands are tried. */
export const commandPages: readonly string[] = ['README.md', ...globSync('docs/*.md', { cwd: root }).sort()];

/** Blocks of a page in its order. Of a block `console` the lines behind `$`; what they print is left out. */
export function blocksOf(page: string): readonly CommandBlock[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^(?<indent> *)```(?<kind>sh|console)\n(?<body>[\s\S]*?)^ *```$/gm)].map(({ groups }) => {
    const { indent = '', kind, body = '' } = groups ?? {};
    const lines = body.split('\n').map((line) => line.slice(indent.length));
    const typed = kind === 'sh' ? lines : lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
    return { page, commands: joined(typed).map(withoutRemark).filter(Boolean) };
  });
}

/** Lines of which none ends in a backslash. */
const joined = (lines: readonly string[]): readonly string[] =>
  lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');

/** A remark stands behind two spaces or more, or alone. */
const withoutRemark = (line: string): string => line.replace(/(^|\s{2,})#\s.*$/, '').trim();

/** Commands of ours in the prose and the tables of a page, each in backticks: without the program's name. */
export function inlineCalls(page: string): readonly string[] {
  const prose = readFileSync(join(root, page), 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '');
  return [...prose.matchAll(/`gatewright (?<rest>[a-z][^`]*)`/g)].map(({ groups }) => groups?.rest ?? '');
}
