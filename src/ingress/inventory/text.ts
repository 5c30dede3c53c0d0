import type { Inventory } from './inventory.ts';
import { headLines, notable, summaryRows, wordsOf } from './words.ts';

/** For a terminal. Control characters of what users wrote are left out. */
export function inventoryText(inventory: Inventory): string {
  const { ingresses, settings, unread } = inventory;
  const rows = summaryRows(inventory).map(
    ({ verdict, count, what }) => [wordsOf(verdict), String(count), what] as const,
  );
  const width = Math.max(...ingresses.map(({ ingress }) => ingress.length), 0);
  return [
    ...headLines(inventory),
    ...columns([['VERDICT', 'INGRESSES', 'WHAT'], ...rows]),
    ...(settings.length === 0 ? [] : ['', 'ConfigMap and flags']),
    ...settings.map(({ verdict, about, text }) => `  ${wordsOf(verdict)}: ${about}: ${text}`),
    ...ingresses.flatMap((row) => {
      const shown = notable(row);
      if (shown.length === 0) return [];
      return [
        '',
        `${row.ingress.padEnd(width)}   ${wordsOf(row.verdict)}   ${row.hosts.join(', ')}`,
        ...shown.map(({ verdict, about, text }) => `  ${wordsOf(verdict)}: ${about}: ${text}`),
      ];
    }),
    ...(unread.length === 0 ? [] : ['', 'could not be read', ...unread.map((line) => `  ${line}`)]),
  ]
    .map(printable)
    .join('\n');
}

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
