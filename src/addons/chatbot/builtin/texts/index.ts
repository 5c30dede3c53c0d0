import type { Language } from '../understand/language.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

export type { Texts } from './en.ts';

const catalogue: Readonly<Record<Language, Texts>> = { en, de };

/** What the chat says by itself, in the language. */
export const textsIn = (language: Language): Texts => catalogue[language];
