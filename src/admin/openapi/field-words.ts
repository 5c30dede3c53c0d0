import { objectsWords } from './words/objects.ts';
import { stateWords } from './words/state.ts';
import { trafficWords } from './words/traffic.ts';

const words: Readonly<Record<string, string>> = { ...objectsWords, ...stateWords, ...trafficWords };

/** What a field is, by its name, where its schema says nothing: most names mean the same everywhere. Names in snake_case mean what they do in camelCase. */
export const wordsOf = (field: string): string | undefined =>
  words[field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
