import { editDistance } from '../../../../std/index.ts';
import { type Concept, lexicon, phrases, stopWords } from './lexicon.ts';

/** One word of a question, with what it stands for. */
export interface Word {
  readonly text: string;
  readonly concepts: readonly Concept[];
  /** Understood only with a typing error put right. */
  readonly isCorrected: boolean;
}

const exact = new Map<string, Concept[]>();
const beginnings: (readonly [string, Concept])[] = [];
for (const [concept, words] of Object.entries(lexicon) as [Concept, string][]) {
  for (const word of words.split(/\s+/)) {
    if (word.endsWith('*')) beginnings.push([word.slice(0, -1), concept]);
    else exact.set(word, [...(exact.get(word) ?? []), concept]);
  }
}
const known: readonly string[] = [...exact.keys(), ...beginnings.map(([beginning]) => beginning)];

/** The words of a question, those that carry no meaning left out. `rest` as `readWritten` gives it. */
export function wordsOf(rest: string): Word[] {
  let text = ` ${rest.replace(/[^\p{L}\p{N}_.:/*-]+/gu, ' ')} `;
  for (const [pattern, word] of phrases) text = text.replace(pattern, word);
  return text
    .split(/ /)
    .map((word) => word.replace(/^[.:/*-]+|[.:/-]+$/g, ''))
    .filter((word) => word !== '' && !stopWords.has(word))
    .slice(0, maxWords)
    .map(read);
}

/** Longer questions are stories: their beginning has to do. */
const maxWords = 60;

/** What a word stands for; a typing error is put right in words that are long enough to be sure. */
function read(text: string): Word {
  const concepts = conceptsOf(text);
  if (concepts.length > 0) return { text, concepts, isCorrected: false };
  const near = text.length < 5 || /[\d.:/_]/.test(text) ? undefined : nearest(text);
  return { text, concepts: near === undefined ? [] : conceptsOf(near), isCorrected: near !== undefined };
}

const conceptsOf = (word: string): Concept[] => [
  ...(exact.get(word) ?? []),
  ...beginnings.flatMap(([beginning, concept]) => (word.startsWith(beginning) ? [concept] : [])),
];

function nearest(word: string): string | undefined {
  const most = word.length < 8 ? 1 : 2;
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    // A short word is one letter away from many.
    if (candidate.length < 5 || Math.abs(candidate.length - word.length) > most) continue;
    const distance = editDistance(word, candidate);
    if (distance <= most && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { word: candidate, distance };
  }
  return best?.word;
}
