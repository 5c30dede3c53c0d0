import type { Inventory } from '../inventory/inventory.ts';
import { inventoryMarkdown, plainText } from '../inventory/markdown.ts';
import { wordsOf } from '../inventory/words.ts';
import type { Conversion, Converted } from './convert.ts';

/** `report.md`: what was made of each Ingress, what is closed, and the inventory. */
export function conversionReport(inventory: Inventory, { files, ingresses, disputed }: Conversion): string {
  const of = (outcome: Converted['outcome']) => ingresses.filter((each) => each.outcome === outcome);
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`## ${title}`, '', ...lines, ''];
  return [
    '# Conversion from ingress-nginx',
    '',
    `${of('converted').length} of ${ingresses.length} Ingresses are converted. Apply the files together; nothing here changes an Ingress.`,
    '',
    ...part(
      'Closed: paths that answer 503',
      of('closed').map((each) => `- ${plainText(each.judged.key)}: ${blocksOf(each)}`),
    ),
    ...part(
      'Left out',
      of('left').map(
        ({ judged, findings }) =>
          `- ${plainText(judged.key)}: ${plainText(findings[0]?.text ?? 'another Ingress answers all of its paths')}`,
      ),
    ),
    ...part(
      'Services that Ingresses want in different ways',
      disputed.map((line) => `- ${plainText(line)}; the first is taken`),
    ),
    ...part(
      'Files',
      [...files.keys()].map((file) => `- ${file}`),
    ),
    inventoryMarkdown({
      ...inventory,
      ingresses: inventory.ingresses.map((row) => ({
        ...row,
        ...(ingresses.find(({ judged }) => judged.key === row.ingress) ?? {}),
      })),
    })
      .replace(/^# /, '## ')
      .replaceAll('\n## ', '\n### '),
  ].join('\n');
}

const blocksOf = ({ findings }: Converted): string =>
  findings
    .filter(({ blocks }) => blocks)
    .map(({ verdict, about, text }) => `${wordsOf(verdict)} ${plainText(about)}: ${plainText(text)}`)
    .join('; ');
