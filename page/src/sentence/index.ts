/** Sentences of the API, for pages: what every page starts with does without. */
export { Sentence } from './sentence.tsx';
