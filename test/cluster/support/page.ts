import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/paths.mjs';

/** A block of commands, or of a file's text, as a page shows it. */
export interface CodeBlock {
  /** The heading that it stands under. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

/** All code blocks of a page of docs/, in order. */
export function codeBlocks(page: string): readonly CodeBlock[] {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  let heading = '';
  return [...text.matchAll(/^#+ (?<heading>.+)$|^```(?<language>\w+)\n(?<block>[\s\S]*?)^```$/gm)].flatMap(
    ({ groups }) => {
      heading = groups?.heading ?? heading;
      const { language, block } = groups ?? {};
      return language === undefined || block === undefined ? [] : [{ heading, language, text: block }];
    },
  );
}
