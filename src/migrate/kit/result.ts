import { type Verdict, worstOf } from '../../ingress/index.ts';
import type { Note } from './table.ts';

/** What became of one object. */
export interface Converted {
  /** `KIND/NAMESPACE/NAME`. */
  readonly id: string;
  /** `closed`: what it is for denies all requests, since a part of what protects it has no equivalent here. `left`: nothing was made of it. */
  readonly outcome: 'converted' | 'closed' | 'left';
  readonly notes: readonly Note[];
}

export interface Conversion {
  /** By path below the output's folder, in order. */
  readonly files: ReadonlyMap<string, string>;
  readonly objects: readonly Converted[];
}

export const verdictOf = ({ notes }: Converted): Verdict => worstOf(notes.map(({ verdict }) => verdict));

/** Whether a note is worth a word. */
export const isNotable = ({ verdict }: Note): boolean => verdict !== 'same' && verdict !== 'no-effect';
