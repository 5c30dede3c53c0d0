import type { Finding } from '../finding.ts';
import type { Inventory } from './inventory.ts';
import { type CommonFinding, headLines, notable, summaryRows, wordsOf } from './words.ts';

const style =
  'body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}table{border-collapse:collapse}td,th{text-align:left;padding:.25rem 1rem .25rem 0;border-bottom:1px solid #ccc;vertical-align:top}h2{font-size:1.1rem;margin:1.5rem 0 .25rem;break-after:avoid}li{overflow-wrap:anywhere}';

/** One page without scripts and without references to anything else, to print or to send. */
export function inventoryHtml(inventory: Inventory): string {
  const { settings, unread } = inventory;
  const { common, rows } = notable(inventory);
  const list = (items: readonly string[]) => `<ul>${items.map((item) => `<li>${item}</li>`).join('\n')}</ul>`;
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Move from ingress-nginx</title><style>${style}</style></head><body>`,
    '<h1>Move from ingress-nginx</h1>',
    ...headLines(inventory).map((line) => `<p>${escaped(line)}</p>`),
    '<table><tr><th scope="col">Verdict<th scope="col">Ingresses<th scope="col">What</tr>',
    ...summaryRows(inventory).map(
      ({ verdict, count, what }) => `<tr><td>${wordsOf(verdict)}<td>${count}<td>${escaped(what)}</tr>`,
    ),
    '</table>',
    ...(settings.length === 0 ? [] : ['<h2>ConfigMap and flags</h2>', list(settings.map(item))]),
    ...(common.length === 0 ? [] : ['<h2>What many Ingresses have</h2>', list(common.map(commonItem))]),
    ...rows.flatMap((row) => [
      `<h2>${escaped(row.ingress)}: ${wordsOf(row.verdict)}</h2>`,
      `<p>${escaped(row.hosts.join(', '))}</p>`,
      list(row.shown.map(item)),
    ]),
    ...(unread.length === 0 ? [] : ['<h2>Could not be read</h2>', list(unread.map(escaped))]),
    '</body></html>',
  ].join('\n');
}

const item = ({ verdict, about, text }: Finding): string =>
  `<b>${wordsOf(verdict)}</b> ${escaped(about)}: ${escaped(text)}`;

const commonItem = ({ finding, ingresses }: CommonFinding): string =>
  `${item(finding)}<br>${escaped(ingresses.join(', '))}`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] as string);
