/** Texts of JSON that are too large to be parsed at once. */
export { jsonParts, type Wanted } from './json-parts.ts';
