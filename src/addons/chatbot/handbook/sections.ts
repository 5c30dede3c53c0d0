/** A part of the documentation that answers for itself: a paragraph, an item of a list, or a row of a table. */
export interface Passage {
  /** `docs/policies.md#backendpolicy` */
  readonly link: string;
  /** Of the page. */
  readonly title: string;
  /** Headings that lead to it, the page's title left out. */
  readonly heading: string;
  readonly text: string;
}

/** The passages of one page of Markdown, in its order. `page` is its path, such as `docs/policies.md`. */
export function passagesOf(page: string, markdown: string): readonly Passage[] {
  const passages: Passage[] = [];
  const headings: string[] = [];
  const taken = new Map<string, number>();
  let title = '';
  let anchor = '';
  for (const block of blocksOf(markdown)) {
    const heading = /^(#{1,6}) (.*)$/.exec(block);
    if (heading !== null) {
      const [, { length: depth } = '', words = ''] = heading;
      anchor = unique(anchorOf(words), taken);
      if (depth === 1) title = plainText(words);
      else headings.splice(depth - 2, headings.length, plainText(words));
      continue;
    }
    const link = anchor === '' ? page : `${page}#${anchor}`;
    for (const text of partsOf(block))
      passages.push({ link, title, heading: headings.filter(Boolean).join(' › '), text });
  }
  return passages;
}

/** Headings, and what stands between empty lines; code and comments are left out. */
function blocksOf(markdown: string): string[] {
  return markdown
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^```[\s\S]*?^```\s*$/gm, '\n')
    .replace(/^(#{1,6} .*)$/gm, '\n$1\n')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '');
}

/** Items and rows each for themselves: one of them answers a question, the others do not. */
function partsOf(block: string): string[] {
  const lines = block.split('\n');
  if (block.startsWith('|'))
    return lines.slice(2).map((line) =>
      plainText(
        line
          .replace(/^\||\|$/g, '')
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim())
          .filter(Boolean)
          .join(': '),
      ),
    );
  if (/^(-|\d+\.) /.test(block))
    return block.split(/\n(?=(?:-|\d+\.) )/).map((item) => plainText(item.replace(/^(-|\d+\.) /, '')));
  return [plainText(block)];
}

/** Without links, emphasis and line breaks; code keeps its marks. */
const plainText = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|(?<!\w)_|_(?!\w)/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** The anchor that GitHub gives a heading. */
export const anchorOf = (heading: string): string =>
  plainText(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');

/** The second heading of a page with the same words gets a number. */
function unique(anchor: string, taken: Map<string, number>): string {
  const before = taken.get(anchor) ?? 0;
  taken.set(anchor, before + 1);
  return before === 0 ? anchor : `${anchor}-${before}`;
}
