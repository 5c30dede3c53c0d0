import { documents } from 'gatewright:guide';
import { lexer } from 'marked';
import type { ComponentChildren } from 'preact';
import { Markdown, type MarkdownToken } from '../../markdown/index.ts';
import { link } from '../../router/index.ts';

/** An answer as it has come so far. */
export function Answer({ text }: { readonly text: string }) {
  const tokens = lexer(text) as unknown as readonly MarkdownToken[];
  return (
    <div class="answer-text" dir="auto">
      <Markdown tokens={tokens} hrefOf={hrefOf} plainText={withLinks} deeper={2} />
    </div>
  );
}

/** Links of an answer lead to places of this page and to its documentation, and nowhere else. */
function hrefOf(href: string): string | undefined {
  if (href.startsWith('#/')) return href;
  const [, file = '', at = ''] = /^(?:\.\/)?docs\/([\w-]+\.md)(?:#([\w-]+))?$/.exec(href) ?? [];
  return documents.some((each) => each.file === file) ? link('docs', [file], { at }) : undefined;
}

/** Answers name pages of the documentation in plain text, too. */
const withLinks = (text: string): ComponentChildren =>
  text.split(/(docs\/[\w-]+\.md(?:#[\w-]+)?)/).map((part) => {
    const href = hrefOf(part);
    return href === undefined ? part : <a href={href}>{part}</a>;
  });
