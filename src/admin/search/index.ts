import { inTurns } from '../../std/steps/index.ts';
import { invalidQuery, whole } from '../http/index.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { findNames } from './find-names.ts';
import { namedThings } from './named-things.ts';
import { search as record } from './record.ts';

const maxWords = 16;
/** A hostname is the longest name; a name may have a namespace and a `/` before it. */
const maxLetters = 320;

/** `/v1/search`: which objects a name or hostname means, or may mean. */
export const search: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/search',
      summary: 'Which objects words may mean: by name, by hostname, or nearly so',
      answer: record,
      query: {
        words: `Names, NAMESPACE/NAME or hostnames, with commas: up to ${maxWords}; without any, nothing is found`,
        q: 'One of them that is being typed: it may also be a part of a hostname',
        limit: 'How many matches of each word at most, up to 50; 10 by default',
      },
      errors: ['query_invalid'],
      handle: ({ query }, sources: AdminSources) =>
        inTurns(
          findNames(
            namedThings(sources),
            wordsOf(query.get('words') ?? '', query.get('q')?.trim() ?? ''),
            whole('limit', query.get('limit') ?? '10', 1, 50),
          ),
        ),
    }),
  ],
};

function wordsOf(listed: string, typed: string) {
  const split = (text: string, isTyped: boolean) =>
    text.split(',').flatMap((word) => (word === '' ? [] : [{ text: word, isTyped }]));
  const words = [...split(listed, false), ...split(typed, true)];
  if (words.length > maxWords) throw invalidQuery('words', `expected ${maxWords} words at most`);
  if (words.some(({ text }) => text.length > maxLetters))
    throw invalidQuery('words', `a word has more than ${maxLetters} letters`);
  return words;
}
