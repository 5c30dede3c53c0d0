import { texts } from '../text/index.ts';

/** Why a model server of a pool was asked, or none was. */
export const pickWords = texts(
  {
    picked: 'chosen by the picker',
    replaced: 'none that the picker named can be reached',
    any: 'without a picker',
    failed: 'the picker failed',
    answered: 'answered by the picker',
    unknown: 'no model server answered',
  },
  {
    picked: 'vom Picker gewählt',
    replaced: 'keiner, den der Picker nannte, ist erreichbar',
    any: 'ohne Picker',
    failed: 'der Picker ist ausgefallen',
    answered: 'vom Picker beantwortet',
    unknown: 'kein Modellserver hat geantwortet',
  },
);
