import { parseObjectKey } from '../../../../gateway-api/index.ts';
import { clusterText, paragraphs } from '../cluster-text.ts';
import type { MissingName } from '../understand/resolve.ts';
import { kindOfWord } from '../understand/written.ts';
import { type Answer, type Answering, nameOf, type ProblemList, problemLines } from './answering.ts';

/** A name that the inventory lacks: what is near, and who names it, which often is the fault. */
export async function* mentionsAnswer({ written, kind, near }: MissingName, answering: Answering): Answer {
  const { call, say } = answering;
  const { problems } = (yield* call('list_problems')) as ProblemList;
  const { name } = parseObjectKey(written);
  const naming = problems.filter(({ message }) => namesIt(message, name));
  const real = kind === undefined ? undefined : kindOfWord(kind);
  return paragraphs(
    real === undefined || real === 'Route'
      ? say.noSuch(clusterText(written))
      : say.noSuchKind(real, clusterText(written)),
    naming.length > 0 && paragraphs(say.named(clusterText(name)), problemLines(naming, naming.length, answering)),
    near.length > 0 && say.didYouMean(near.map(nameOf).join(say.or)),
  );
}

const namesIt = (message: string, name: string): boolean => {
  const at = message.indexOf(name);
  const isLetter = (letter: string | undefined) => letter !== undefined && /[\w-]/.test(letter);
  return at >= 0 && !isLetter(message[at - 1]) && !isLetter(message[at + name.length]);
};
