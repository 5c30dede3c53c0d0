import { z } from 'zod';
import { oneOf } from './leaf.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** How much is logged, and in which form. */
export const log = z
  .strictObject({ level: oneOf(logLevels).default('info'), format: oneOf(['json', 'pretty']).default('json') })
  .prefault({});
