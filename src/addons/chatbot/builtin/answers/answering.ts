import type { ChatEvent } from '../../events.ts';
import type { Problem } from '../../tools/list-problems.ts';
import { clusterText, lines, mostListed, paragraphs } from '../cluster-text.ts';
import type { Texts } from '../texts/index.ts';
import type { Frame } from '../understand/conversation.ts';
import type { KnownObject } from '../understand/resolve.ts';

/** Calls a tool, with the events of a call; gives its value, or throws a NotFound. */
export type Call = (name: string, input?: object) => AsyncGenerator<ChatEvent, unknown>;

/** A tool that found nothing; the message says why. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** What every answer is made from. */
export interface Answering {
  readonly frame: Frame;
  readonly call: Call;
  readonly say: Texts;
}

/** A part of an answer that more is made from. */
export type Finding<T> = AsyncGenerator<ChatEvent, T>;

/** One answer, with the events of the tools that it needs. */
export type Answer = AsyncGenerator<ChatEvent, string>;

export interface ProblemList {
  readonly total: number;
  readonly verdict: string;
  readonly problems: readonly Problem[];
}

export interface Page<T> {
  readonly total: number;
  readonly entries: readonly T[];
}

/** `HTTPRoute default/shop` */
export const nameOf = ({ kind, namespace, name }: KnownObject): string =>
  clusterText(`${kind} ${namespace === '' || namespace === '_cluster' ? name : `${namespace}/${name}`}`);

export const isSame = (a: KnownObject, b: KnownObject): boolean =>
  a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;

/** `HTTPRoute default/lost: NoMatchingParent: … → Correct …`, with the cause if that is asked for. */
function problemLine(
  { what, message, cause, next, count }: Problem,
  { frame, say }: Pick<Answering, 'frame' | 'say'>,
): string {
  const others = count > 1 ? ` ${say.also(count - 1)}` : '';
  const why = frame.wantsCause ? ` ${say.because}: ${clusterText(cause)}` : '';
  const text = clusterText(message);
  const stop = /[.?!]$/.test(text) && others === '' ? '' : '.';
  return `${clusterText(what)}: ${text}${others}${stop}${why} → ${say.next(next)}`;
}

/** The problems as a list, and how many more there are. */
export function problemLines(
  problems: readonly Problem[],
  total: number,
  answering: Pick<Answering, 'frame' | 'say'>,
): string {
  const shown = problems.slice(0, 2 * mostListed);
  return paragraphs(
    lines(shown.map((problem) => problemLine(problem, answering))),
    total > shown.length && answering.say.more(total - shown.length),
  );
}
