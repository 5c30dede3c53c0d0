import { counted, firstNames } from '../../std/index.ts';
import type { Finding } from '../finding.ts';
import type { Inventory } from './inventory.ts';
import { headLines, notable, summaryRows, wordsOf } from './words.ts';

/** For a terminal. Control characters of what users wrote are left out. */
export function inventoryText(inventory: Inventory): string {
  const { settings, unread } = inventory;
  const { common, rows } = notable(inventory);
  const summary = summaryRows(inventory).map(
    ({ verdict, count, what }) => [wordsOf(verdict), String(count), what] as const,
  );
  const width = Math.max(...rows.map(({ ingress }) => ingress.length), 0);
  return [
    ...headLines(inventory),
    ...columns([['VERDICT', 'INGRESSES', 'WHAT'], ...summary]),
    ...(settings.length === 0 ? [] : ['', 'ConfigMap and flags']),
    ...settings.map(lineOf),
    ...(common.length === 0 ? [] : ['', 'what many Ingresses have']),
    ...common.flatMap(({ finding, ingresses }) => [
      lineOf(finding),
      `    ${counted(ingresses.length, 'Ingress', 'Ingresses')}: ${firstNames(ingresses, 5)}`,
    ]),
    ...rows.flatMap((row) => [
      '',
      `${row.ingress.padEnd(width)}   ${wordsOf(row.verdict)}   ${row.hosts.join(', ')}`,
      ...row.shown.map(lineOf),
    ]),
    ...(unread.length === 0 ? [] : ['', 'could not be read', ...unread.map((line) => `  ${line}`)]),
  ]
    .map(printable)
    .join('\n');
}

const lineOf = ({ verdict, about, text }: Finding): string => `  ${wordsOf(verdict)}: ${about}: ${text}`;

/** Without control characters of what users wrote. */
export const printable = (line: string): string =>
  line.replaceAll(/[\p{Cc}\p{Cf}`]/gu, (mark) => (mark === '`' ? '' : ' ')).trimEnd();

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map(
    ([verdict = '', count = '', what = '']) =>
      `  ${verdict.padEnd(widths[0] ?? 0)}   ${count.padStart(widths[1] ?? 0)}   ${what}`,
  );
}
