import { createHash } from 'node:crypto';
import { errorCodes } from '../http/index.ts';
import type { Operation } from '../resource/operation.ts';

const style = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1c2733;background:#fff}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #d5dde5}
code{font:14px ui-monospace,monospace}@media(prefers-color-scheme:dark){body{color:#dfe7ee;background:#12181f}td,th{border-color:#33404d}}`;

/** What a browser may do with the page: show it in this style, and nothing else. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

/** The paths and error codes as one HTML page that loads nothing. */
export function docsPage(version: string, operations: readonly Operation[]): string {
  const byTag = Map.groupBy(operations, ({ tag }) => tag);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1"><title>Gatewright admin API</title>',
    `<style>${style}</style></head><body><h1>Gatewright admin API ${escaped(version)}</h1>`,
    '<p>The whole description, with what every answer looks like: <a href="/openapi.json">openapi.json</a>.</p>',
    ...[...byTag].map(([tag, rows]) => section(tag, ['', 'path', 'what it is', 'query'], rows.map(row))),
    section(
      'Errors',
      ['code', 'status', 'meaning', 'what to do'],
      Object.entries(errorCodes).map(([code, { status, meaning, remedy }]) => [code, String(status), meaning, remedy]),
    ),
    '</body></html>\n',
  ].join('\n');
}

const row = ({ method, path, summary, query = {} }: Operation): string[] => [
  method.toUpperCase(),
  path.replaceAll(/:(\w+)/g, '{$1}'),
  summary,
  Object.keys(query).join(', '),
];

const section = (title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<h2>${escaped(title)}</h2><table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`)
    .join('\n')}</table>`;

const inline = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
