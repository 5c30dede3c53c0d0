import { findAnnotation } from './annotations/index.ts';
import type { Verdict } from './verdict.ts';

/** What the move does to one part of an Ingress. */
export interface Finding {
  readonly verdict: Verdict;
  /** The annotation, or the part of the Ingress. */
  readonly about: string;
  /** For people, one sentence without a full stop. */
  readonly text: string;
  /** Without this part more would come in than before, or requests would be answered wrongly: the Ingress is not converted unless it is named. */
  readonly blocks?: true;
}

/** A finding about an annotation, in the words of the table unless others are given. What protects and is lost blocks. */
export function annotated(name: string, verdict?: Verdict, text?: string): Finding {
  const row = findAnnotation(name);
  const found = verdict ?? row?.verdict ?? 'no-effect';
  const finding = { verdict: found, about: name, text: text ?? row?.why ?? row?.becomes ?? 'has no effect' };
  return row?.protects && found === 'cannot' ? { ...finding, blocks: true } : finding;
}
