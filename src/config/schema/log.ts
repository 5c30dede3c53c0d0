import * as z from 'zod';
import { oneOf } from './leaf.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** How much is logged, and in which form. */
export const log = z
  .strictObject({
    level: oneOf(logLevels).default('info').describe('The least severe level that is written.'),
    format: oneOf(['json', 'pretty']).default('json').describe('One JSON object for each line, or lines for people.'),
  })
  .prefault({})
  .describe('What is logged, and how.');
