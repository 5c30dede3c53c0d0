import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { lexer, type Token } from 'marked';
import { guideDir, guideFiles } from './page.ts';

/** Fields of tokens that the page shows. */
const shown = new Set(['type', 'text', 'tokens', 'depth', 'href', 'lang', 'ordered', 'items', 'header', 'rows']);

/**
 * Gives the page `gatewright:guide`, the list of documents with their headings, and one module for each of them. Markdown is cut into tokens
 * here, so that a browser reads none, and headings can be searched without their pages.
 */
export const guide: Plugin = {
  name: 'guide',
  setup(build) {
    build.onResolve({ filter: /^gatewright:guide/ }, ({ path }) => ({ path, namespace: 'guide' }));
    build.onLoad({ filter: /.*/, namespace: 'guide' }, ({ path }) => {
      const [, file] = path.split('/');
      return file === undefined
        ? { contents: `export const documents = [${guideFiles().map(listed).join(',')}];`, loader: 'js' }
        : { contents: JSON.stringify(read(file), keep), loader: 'json' };
    });
  },
};

const read = (file: string): readonly Token[] =>
  lexer(readFileSync(join(guideDir, file), 'utf8')).filter((token) => !isPicture(token));

/** Pictures of the page are for those who do not see it. */
const isPicture = (token: Token): boolean =>
  (token.type === 'html' && token.raw.startsWith('<picture>')) ||
  (token.type === 'paragraph' && (token.tokens ?? []).every(({ type }) => type === 'image'));

/** What a token has beside `tokens` says the same once more. */
function keep(this: unknown, key: string, value: unknown): unknown {
  if (Array.isArray(this) || key === '') return value;
  if (key === 'text' && (this as { readonly tokens?: unknown }).tokens !== undefined) return undefined;
  return shown.has(key) ? value : undefined;
}

function listed(file: string): string {
  const headings = read(file).flatMap((token) => (token.type === 'heading' ? [plain(token.tokens ?? [])] : []));
  const [title = file, ...others] = headings;
  return `{file: ${JSON.stringify(file)}, title: ${JSON.stringify(title)}, headings: ${JSON.stringify(others)}, load: () => import(${JSON.stringify(`gatewright:guide/${file}`)})}`;
}

const plain = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => ('tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : ''))
    .join('');
