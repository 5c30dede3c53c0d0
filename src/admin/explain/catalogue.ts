import { conditionReasons } from '../../gateway-api/index.ts';
import { problemCodes, responseDetailOf, responseDetails, responseFlags } from '../../problems/index.ts';
import { didYouMean } from '../../std/index.ts';
import { errorCodes } from '../http/index.ts';
import type { Explanation } from './record.ts';

type Explained = Omit<Explanation, 'code' | 'kind' | 'docs'>;

const simple = ({ meaning, remedy }: { readonly meaning: string; readonly remedy: string }): Explained => ({
  summary: meaning,
  causes: [],
  steps: [remedy],
});

/** Everything that has a code, by its sort: the one table that pages, commands and the chatbot explain from. */
const sorts = {
  problem: mapped(problemCodes, simple),
  flag: mapped(responseFlags, ({ name, summary, causes, steps }) => ({
    summary: `${name}: ${summary}`,
    causes,
    steps,
  })),
  detail: mapped(responseDetails, (row) => row),
  reason: mapped(conditionReasons, simple),
  error: mapped(errorCodes, simple),
} as const;

function mapped<T>(rows: Readonly<Record<string, T>>, explain: (row: T) => Explained): ReadonlyMap<string, Explained> {
  return new Map(Object.entries(rows).map(([code, row]) => [code, explain(row)]));
}

/** All rows, problems first. */
export const catalogue: readonly Explanation[] = Object.entries(sorts).flatMap(([kind, rows]) =>
  [...rows].map(([code, row]) => ({ code, kind: kind as Explanation['kind'], ...row, docs: docsOf(kind, code) })),
);

/** Where the documentation has it: a page of docs/, with an anchor where there is one. */
function docsOf(kind: string, code: string): string {
  return kind === 'error' ? 'errors.md#admin-api' : `problems.md#${code.toLowerCase()}`;
}

/** What the code means, in any case of letters. */
export function explanationOf(code: string): Explanation | undefined {
  const wanted = code.toLowerCase();
  // Envoy's words go on behind what says which they are.
  const detail = responseDetailOf(wanted);
  return (
    catalogue.find((row) => row.code === code) ??
    catalogue.find((row) => row.code.toLowerCase() === wanted || row.code === detail)
  );
}

/** `; did you mean "UF"?`, or nothing when no code is near. */
export const nearestCode = (code: string): string =>
  didYouMean(
    code,
    catalogue.map((row) => row.code),
  );
