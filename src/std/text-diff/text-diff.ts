import { createTwoFilesPatch, type FILE_HEADERS_ONLY } from 'diff';

/** Lines that may differ before no more is looked for what they have in common: the work follows their number, and that of all lines. */
export const mostDifferentLines = 1_000;

export interface DiffOptions {
  readonly context?: number;
  readonly headerOptions?: typeof FILE_HEADERS_ONLY;
}

/** As `diff -u` has it. Texts that have little in common are shown one behind the other. */
export function textDiff(from: string, to: string, before: string, after: string, options: DiffOptions = {}): string {
  const patch = createTwoFilesPatch(from, to, before, after, undefined, undefined, {
    ...options,
    maxEditLength: mostDifferentLines,
  });
  if (patch !== undefined) return patch;
  const [removed, added] = [linesOf(before), linesOf(after)];
  const range = (lines: readonly string[]) => `${lines.length > 0 ? 1 : 0},${lines.length}`;
  return [
    `--- ${from}`,
    `+++ ${to}`,
    `@@ -${range(removed)} +${range(added)} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    '',
  ].join('\n');
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
