// VitePress's configuration: what is not data. The rest is in site.json, which scripts/site.ts writes beside it.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const site = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'site.json'), 'utf8'));

/** Anchors as GitHub makes them: links of the repository's pages hold on the site too. */
const slugify = (words) =>
  words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');

export default {
  ...site,
  markdown: {
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(markdown) {
      // Text of pages is text: `{{` of a template is nothing to work out.
      markdown.renderer.rules.text = (tokens, index) =>
        markdown.utils.escapeHtml(tokens[index].content).replaceAll('{{', '<span v-pre>{{</span>');
      markdown.renderer.rules.code_inline = (tokens, index) =>
        `<code v-pre>${markdown.utils.escapeHtml(tokens[index].content)}</code>`;
    },
  },
  vite: { build: { chunkSizeWarningLimit: 4096 } },
};
