import type { Finding } from '../finding.ts';
import type { Inventory } from './inventory.ts';
import { headLines, notable, summaryRows, wordsOf } from './words.ts';

/** For a pull request. */
export function inventoryMarkdown(inventory: Inventory): string {
  const { settings, unread } = inventory;
  const { common, rows } = notable(inventory);
  return [
    '# Move from ingress-nginx',
    '',
    ...headLines(inventory).map((line) => `${plainText(line)}  `),
    '',
    '| verdict | Ingresses | what |',
    '|---|---|---|',
    ...summaryRows(inventory).map(
      ({ verdict, count, what }) => `| ${wordsOf(verdict)} | ${count} | ${plainText(what)} |`,
    ),
    ...(settings.length === 0 ? [] : ['', '## ConfigMap and flags', '', ...settings.map(bullet)]),
    ...(common.length === 0 ? [] : ['', '## What many Ingresses have', '']),
    ...common.map(({ finding, ingresses }) => `${bullet(finding)}  \n  ${ingresses.map(plainText).join(', ')}`),
    ...rows.flatMap((row) => [
      '',
      `## ${plainText(row.ingress)}: ${wordsOf(row.verdict)}`,
      '',
      `Hosts: ${row.hosts.map(plainText).join(', ')}`,
      '',
      ...row.shown.map(bullet),
    ]),
    ...(unread.length === 0 ? [] : ['', '## Could not be read', '', ...unread.map((text) => `- ${plainText(text)}`)]),
    '',
  ].join('\n');
}

const bullet = ({ verdict, about, text }: Finding): string =>
  `- **${wordsOf(verdict)}** ${plainText(about)}: ${plainText(text)}`;

/** What users wrote is text, whatever marks it has. */
export const plainText = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>()#|!~&]/g, '\\$&');
