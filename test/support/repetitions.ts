import { repetitionsVariable } from '../../scripts/heavy-tests.ts';

const isShort = process.env[repetitionsVariable] === 'few';

/**
 * How often a test does the same with other random input or at another moment: `few` times in `npm test`, `all` in `npm run test:heavy`
 * and where its file is named. A file that asks belongs to the `partialTests` of scripts/heavy-tests.ts, or nothing would do all.
 */
export const repetitions = ({ few, all }: { readonly few: number; readonly all: number }): number =>
  isShort ? few : all;

/**
 * What declares a test that `npm test` leaves to `npm run test:heavy`: `thorough(test)('title', …)`. A shorter test of the same feature stays in
 * `npm test`, in the same file.
 */
export const thorough = <T extends object>(declare: T): T => (isShort ? (nothing as unknown as T) : declare);

/** Takes the parameters of a test, and of its `skip`, `failing`, …, for none. */
const nothing: object = new Proxy(() => undefined, { get: () => nothing });

/** A table of which `npm test` tries every `nth` entry, beginning with the first. */
export const every = <T>(nth: number, entries: readonly T[]): readonly T[] =>
  isShort ? entries.filter((_, index) => index % nth === 0) : entries;
