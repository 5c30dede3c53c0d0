import { basename, dirname } from 'node:path';

/**
 * The path of a page on the site, for its path in the repository: `docs/start.md` is `start.md`, `docs/adr/0001-x.md` is `adr/0001-x.md`,
 * `charts/README.md` is `project/charts.md`, `CHANGELOG.md` is `project/changelog.md`.
 */
export function sitePathOf(page: string): string {
  if (page.startsWith('docs/')) return page.slice('docs/'.length);
  const isReadme = basename(page) === 'README.md' && dirname(page) !== '.';
  const name = isReadme ? dirname(page).replaceAll('/', '-') : basename(page, '.md').replaceAll('_', '-');
  return `project/${name.toLowerCase()}.md`;
}

/** The page of an example. */
export const examplePathOf = (example: string): string => `examples/${example}.md`;
