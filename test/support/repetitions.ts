import { repetitionsVariable } from '../../scripts/heavy-tests.ts';

/**
 * How often a test does the same with other random input or at another moment: `few` times in `npm test`, `all` in `npm run test:heavy`
 * and where its file is named. A file that asks belongs to the `repeatingTests` of scripts/heavy-tests.ts, or nothing would do all.
 */
export const repetitions = ({ few, all }: { readonly few: number; readonly all: number }): number =>
  process.env[repetitionsVariable] === 'few' ? few : all;
