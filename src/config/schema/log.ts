import * as z from 'zod';
import { oneOf } from './leaf.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** How much is logged, and in which form. */
export const log = z
  .strictObject({
    level: oneOf(logLevels).default('info').describe('The lowest level that is written.'),
    format: oneOf(['json', 'pretty']).default('json').describe('One JSON object per line, or lines for people.'),
  })
  .prefault({})
  .describe('Level and format of the log.');
