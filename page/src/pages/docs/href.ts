import { documents } from 'gatewright:guide';
import { link } from '../../router/index.ts';

/** Where a link of a page of the documentation leads to inside the page, or on the internet; undefined for files that are not here. */
export function hrefOfDocs(href: string, from: string): string | undefined {
  if (/^https?:\/\//.test(href)) return href;
  const [path = '', at = ''] = href.split('#');
  if (/^(?:\.\/|docs\/)?openapi\.yaml$/.test(path)) return link('docs', ['api']);
  const file = path === '' ? from : path.replace(/^(?:\.\/|docs\/)/, '');
  return documents.some((each) => each.file === file) ? link('docs', [file], { at }) : undefined;
}
