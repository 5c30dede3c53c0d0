import type { PickOutcome } from '../ai.ts';

type PickWords = Readonly<Record<PickOutcome, string>>;

/** Why a model server of a pool was asked, or none was: `3 requests: 10.0.0.1:8000, chosen by the picker`. By language. */
export const pickWords: Readonly<Record<'en' | 'de', PickWords>> = {
  en: {
    picked: 'chosen by the picker',
    replaced: 'none that the picker named can be reached',
    any: 'without a picker',
    failed: 'the picker failed',
    answered: 'answered by the picker',
    unknown: 'no model server answered',
  },
  de: {
    picked: 'vom Picker gewählt',
    replaced: 'keiner, den der Picker nannte, ist erreichbar',
    any: 'ohne Picker',
    failed: 'der Picker ist ausgefallen',
    answered: 'vom Picker beantwortet',
    unknown: 'kein Modellserver hat geantwortet',
  },
};
