import { merge } from 'node-diff3';
import { onVersion } from './documents.ts';

export interface Versions {
  /** What both are changes of. */
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  /** Of theirs. */
  readonly version: string;
}

export interface Merge extends Versions {
  /** What both changed, put together, as a change of their version. */
  readonly text: string;
  /** Lines that both changed in different ways stand in it between marks, which is no YAML. */
  readonly hasConflict: boolean;
}

/** The marks are those of git. */
export function mergeTexts({ base, mine, theirs, version }: Versions): Merge {
  // The version differs always, and would make conflicts of changes beside it.
  const lines = (text: string): string[] => onVersion(text, version).split('\n');
  const { result, conflict } = merge(lines(mine), lines(base), lines(theirs), {
    excludeFalseConflicts: true,
    label: { a: 'yours', b: 'theirs' },
  });
  return { base, mine, theirs, version, text: result.join('\n'), hasConflict: conflict };
}
