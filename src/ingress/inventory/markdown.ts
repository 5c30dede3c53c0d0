import type { Finding } from '../finding.ts';
import type { Inventory } from './inventory.ts';
import { headLines, notable, summaryRows, wordsOf } from './words.ts';

/** For a pull request. */
export function inventoryMarkdown(inventory: Inventory): string {
  const { ingresses, settings, unread } = inventory;
  const worth = ingresses.filter((row) => notable(row).length > 0);
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
    ...worth.flatMap((row) => [
      '',
      `## ${plainText(row.ingress)}: ${wordsOf(row.verdict)}`,
      '',
      `Hosts: ${row.hosts.map(plainText).join(', ')}`,
      '',
      ...notable(row).map(bullet),
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
