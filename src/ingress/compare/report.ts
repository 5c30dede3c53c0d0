import { isUnexplained, nameOf } from './compare.ts';
import { htmlPage } from './report-html.ts';
import { differenceLines, exampleNames, printable, type ReportParts, reportParts } from './report-parts.ts';
import type { RunResult } from './run.ts';

export type ReportFormat = 'table' | 'json' | 'markdown' | 'html';

export interface ReportOptions {
  readonly format: ReportFormat;
  /** No request was sent. */
  readonly isByModel: boolean;
}

export function comparisonReport(result: RunResult, options: ReportOptions): string {
  if (options.format === 'json') return JSON.stringify(jsonReport(result, options), null, 2);
  const parts = reportParts(result, options.isByModel);
  if (options.format === 'markdown') return markdown(parts);
  return options.format === 'html' ? htmlPage(parts) : text(parts);
}

function text({ headline, notes, unexplained, explained }: ReportParts): string {
  return [
    headline,
    ...notes.map((note) => `  ${note}`),
    ...unexplained.flatMap((each) => [
      '',
      `UNEXPLAINED  ${printable(nameOf(each))}`,
      `  ${printable(each.request.because)}`,
      ...differenceLines(each).map((line) => `  ${printable(line)}`),
    ]),
    ...explained.flatMap(({ code, sentence, requests }) => [
      '',
      `explained (${code}): ${requests.length}`,
      `  ${sentence}`,
      ...exampleNames(requests).map((name) => `  ${printable(name)}`),
    ]),
  ].join('\n');
}

function markdown({ headline, notes, unexplained, explained }: ReportParts): string {
  return [
    `**${headline}**`,
    ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${escapeMarkdown(note)}`)] : []),
    ...(unexplained.length > 0 ? ['', '| unexplained | differs |', '|---|---|'] : []),
    ...unexplained.map((each) => `| ${code(nameOf(each))} | ${differenceLines(each).map(code).join('<br>')} |`),
    ...(explained.length > 0 ? ['', '| explained | requests | for example |', '|---|---|---|'] : []),
    ...explained.map(
      ({ code: name, sentence, requests }) =>
        `| \`${name}\`: ${sentence} | ${requests.length} | ${requests
          .slice(0, 1)
          .map((each) => code(nameOf(each)))
          .join('')} |`,
    ),
  ].join('\n');
}

const escapeMarkdown = (words: string): string => printable(words).replaceAll(/[\\`*_<>|[\]]/g, '\\$&');

/** A backtick would end it, and a bar the cell. */
const code = (words: string): string => `\`${printable(words).replaceAll('`', "'").replaceAll('|', '¦')}\``;

function jsonReport({ asked, same, unanswered, different, notSent, ended }: RunResult, { isByModel }: ReportOptions) {
  return {
    version: 1,
    byModel: isByModel,
    asked,
    same,
    unanswered,
    explained: different.filter((each) => !isUnexplained(each)).length,
    unexplained: different.filter(isUnexplained).length,
    notSent,
    ended: ended ?? null,
    different: different.map(({ request, from, to, differences }) => ({
      request,
      unexplained: differences.some(({ code: known }) => known === undefined),
      differences: differences.map((each) => ({ ...each, code: each.code ?? null })),
      from,
      to,
    })),
  };
}
