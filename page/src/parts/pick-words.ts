import { pickWords as words } from '../../../src/contracts/words/index.ts';
import { texts } from '../text/index.ts';

/** Why a model server of a pool was asked, or none was. */
export const pickWords = texts(words.en, words.de);
