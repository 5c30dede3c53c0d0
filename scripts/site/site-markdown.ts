import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from '../paths.mjs';
import { examplePathOf } from './site-path.ts';

/** A link of Markdown: text without brackets, or with one pair of them; then target and title. */
const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)(?: "[^"]*")?\)/g;

/**
 * A page of the repository as the site has it. Links to pages of the site lead there; of links to other files of the repository, such as tests,
 * only the text is left. Pictures come from the site's own folder.
 *
 * @param page its path in the repository
 * @param sitePathOf of a path in the repository; undefined: it is no page of the site
 */
export function siteMarkdown(text: string, page: string, sitePathOf: (path: string) => string | undefined): string {
  let isCode = false;
  return text
    .split('\n')
    .map((line) => {
      if (/^\s*```/.test(line)) isCode = !isCode;
      if (isCode) return line;
      return line
        .replace(/(?<=(?:(?:src|srcset)="|\]\())(?:docs\/)?pictures\//g, '/pictures/')
        .replace(link, (whole, bang: string, words: string, target: string) =>
          bang === '!' ? whole : siteLink(whole, words, target, page, sitePathOf),
        );
    })
    .join('\n');
}

function siteLink(
  whole: string,
  words: string,
  target: string,
  page: string,
  sitePathOf: (path: string) => string | undefined,
): string {
  if (/^([a-z]+:|#)/i.test(target)) return whole;
  const [path = '', anchor] = target.split('#');
  const found = sitePathOf(normalize(join(dirname(page), path)).replace(/\/$/, ''));
  if (found === undefined) return words;
  return `[${words}](/${found}${anchor === undefined ? '' : `#${anchor}`})`;
}

/** The page that stands for a path of the repository: that of the page, of an example or its file, or the README of a folder. */
export function placesOf(pages: ReadonlyMap<string, string>): (path: string) => string | undefined {
  return (path) => {
    const [top, example] = path.split('/');
    if (top === 'examples' && example !== undefined && existsSync(join(root, 'examples', example)))
      return examplePathOf(example);
    return pages.get(path) ?? pages.get(`${path}/README.md`);
  };
}
