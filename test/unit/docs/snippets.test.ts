import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../../scripts/paths.mjs';

/** `<!-- from examples/NAME/FILE -->`, then the block. */
const marked = /^<!-- from (?<file>\S+) -->\n```yaml\n(?<block>[\s\S]*?)^```$/gm;
const pages = globSync('docs/*.md', { cwd: root });

const linesOf = (text: string): readonly string[] => text.trimEnd().split('\n');

/** Whether lines follow each other in a file as they do in the block; comments of the file may stand between them. */
function has(file: readonly string[], block: readonly string[]): boolean {
  const lines = file.filter((line) => !/^\s*#/.test(line));
  return lines.some((_, start) => block.every((line, offset) => lines[start + offset] === line));
}

test('each block that names an example is a part of it, so it is served and asked for there', (t) => {
  let blocks = 0;
  for (const page of pages)
    for (const { groups } of readFileSync(join(root, page), 'utf8').matchAll(marked)) {
      blocks += 1;
      const { file = '', block = '' } = groups ?? {};
      const found = has(linesOf(readFileSync(join(root, file), 'utf8')), linesOf(block));
      t.true(found, `${page}: the block is not in ${file}:\n${block}`);
    }
  t.true(blocks >= 8);
});
