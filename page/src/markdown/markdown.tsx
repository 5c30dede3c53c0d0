import type { ComponentChildren } from 'preact';

/** A part of a Markdown text, as the lexer of `marked` cuts it. */
export interface MarkdownToken {
  readonly type: string;
  readonly text?: string;
  readonly tokens?: readonly MarkdownToken[];
  readonly depth?: number;
  readonly href?: string;
  readonly lang?: string;
  readonly ordered?: boolean;
  readonly items?: readonly MarkdownToken[];
  readonly header?: readonly MarkdownToken[];
  readonly rows?: readonly (readonly MarkdownToken[])[];
}

export interface MarkdownOptions {
  /** Where a link of the text leads to; undefined: it stays text. */
  readonly hrefOf: (href: string) => string | undefined;
  /** Shows a run of plain text; as it is by default. */
  readonly plainText?: (text: string) => ComponentChildren;
  /** Added to the depth of headings, so that they fit under those of the page. */
  readonly deeper?: number;
}

/** Markdown as nodes of the document. It never becomes HTML: a tag in it stays text, and images are not loaded. */
export function Markdown({ tokens, ...options }: MarkdownOptions & { readonly tokens: readonly MarkdownToken[] }) {
  return <>{tokens.map((token, at) => block(token, at, options))}</>;
}

function block(token: MarkdownToken, key: number, options: MarkdownOptions): ComponentChildren {
  switch (token.type) {
    case 'heading':
      return heading(token, key, options);
    case 'paragraph':
      return <p key={key}>{inlines(token, options)}</p>;
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
        <pre key={key} tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case 'blockquote':
      return (
        <blockquote key={key}>
          <Markdown tokens={token.tokens ?? []} {...options} />
        </blockquote>
      );
    case 'list':
      return list(token, key, options);
    case 'table':
      return table(token, key, options);
    case 'hr':
      return <hr key={key} />;
    case 'text':
      return <span key={key}>{inlines(token, options)}</span>;
    case 'html':
      // Comments are for those who read the source.
      return token.text?.startsWith('<!--') ? null : <p key={key}>{token.text}</p>;
    default:
      return null;
  }
}

function heading(token: MarkdownToken, key: number, options: MarkdownOptions): ComponentChildren {
  const depth = Math.min(6, Math.max(1, (token.depth ?? 1) + (options.deeper ?? 0)));
  const Tag = `h${depth}` as 'h1';
  return (
    <Tag key={key} id={`at-${anchorOf(plain(token))}`}>
      {inlines(token, options)}
    </Tag>
  );
}

function list({ ordered, items = [] }: MarkdownToken, key: number, options: MarkdownOptions): ComponentChildren {
  const Tag = ordered ? 'ol' : 'ul';
  return (
    <Tag key={key}>
      {items.map((item, at) => (
        <li key={at}>
          <Markdown tokens={item.tokens ?? []} {...options} />
        </li>
      ))}
    </Tag>
  );
}

/** It scrolls in a frame of its own, which the keyboard reaches. */
function table({ header = [], rows = [] }: MarkdownToken, key: number, options: MarkdownOptions): ComponentChildren {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
    <div key={key} class="wide-table" tabIndex={0} role="group" aria-label={header.map(plain).join(', ')}>
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} scope="col">
                {inlines(cell, options)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{inlines(cell, options)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const inlines = ({ tokens, text }: MarkdownToken, options: MarkdownOptions): ComponentChildren =>
  tokens === undefined
    ? plainText(unescaped(text ?? ''), options)
    : tokens.map((token, at) => inline(token, at, options));

const plainText = (text: string, options: MarkdownOptions): ComponentChildren => options.plainText?.(text) ?? text;

function inline(token: MarkdownToken, key: number, options: MarkdownOptions): ComponentChildren {
  switch (token.type) {
    case 'codespan':
      return <code key={key}>{token.text}</code>;
    case 'strong':
      return <strong key={key}>{inlines(token, options)}</strong>;
    case 'em':
      return <em key={key}>{inlines(token, options)}</em>;
    case 'del':
      return <del key={key}>{inlines(token, options)}</del>;
    case 'br':
      return <br key={key} />;
    case 'link':
      return anchor(token, key, options);
    case 'image':
    case 'html':
    case 'escape':
      return token.text;
    default:
      return inlines(token, options);
  }
}

function anchor(token: MarkdownToken, key: number, options: MarkdownOptions): ComponentChildren {
  const href = options.hrefOf(token.href ?? '');
  const content = inlines(token, options);
  if (href === undefined) return <span key={key}>{content}</span>;
  const elsewhere = href.startsWith('#') ? {} : { target: '_blank', rel: 'noreferrer noopener' };
  return (
    <a key={key} href={href} {...elsewhere}>
      {content}
    </a>
  );
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
};
const unescaped = (text: string): string =>
  text.replaceAll(/&(?:lt|gt|amp|quot|#39);/g, (entity) => entities[entity] ?? entity);

/** The text without marks. */
const plain = ({ tokens, text = '' }: MarkdownToken): string => tokens?.map(plain).join('') ?? text;

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
