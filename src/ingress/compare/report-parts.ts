import { counted } from '../../std/index.ts';
import { type ComparedRequest, isUnexplained, nameOf } from './compare.ts';
import { explanations } from './explanations.ts';
import type { RunResult } from './run.ts';

/** What every form of the report says. */
export interface ReportParts {
  readonly headline: string;
  readonly notes: readonly string[];
  readonly unexplained: readonly ComparedRequest[];
  readonly explained: readonly {
    readonly code: string;
    readonly sentence: string;
    readonly requests: readonly ComparedRequest[];
  }[];
}

export function reportParts(result: RunResult, isByModel: boolean): ReportParts {
  const { asked, same, unanswered, different, notSent } = result;
  const unexplained = different.filter(isUnexplained);
  const explained = different.filter((each) => !isUnexplained(each));
  const how = isByModel ? ', by model' : '';
  return {
    headline: `${counted(asked, 'request')}${how}: ${same} alike, ${explained.length} explained, ${unexplained.length} unexplained${unanswered === 0 ? '' : `, ${unanswered} answered by neither`}`,
    notes: Object.entries(notSent).map(([reason, count]) => `${count} not sent: ${reason}`),
    unexplained,
    explained: explanations.flatMap(({ code, sentence }) => {
      const requests = explained.filter(({ differences }) => differences.some((each) => each.code === code));
      return requests.length === 0 ? [] : [{ code, sentence, requests }];
    }),
  };
}

/** Of one explanation that are named. */
const mostExamples = 3;

export const differenceLines = ({ differences }: ComparedRequest): string[] =>
  differences.map(
    ({ what, from, to, code }) =>
      `${what}: ${from || 'none'} → ${to || 'none'}${code === undefined ? '' : ` (${code})`}`,
  );

export const exampleNames = (requests: readonly ComparedRequest[]): string[] => [
  ...requests.slice(0, mostExamples).map(nameOf),
  ...(requests.length > mostExamples ? [`and ${requests.length - mostExamples} more`] : []),
];

/** Answers are of strangers: no control character reaches a terminal, and no line is without end. */
export const printable = (line: string): string => line.replaceAll(/\p{Cc}/gu, '?').slice(0, 1_000);
