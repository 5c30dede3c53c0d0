import * as z from 'zod';
import { whole } from './leaf.ts';

/**
 * How long changes are gathered while a build or push is under way: `quietMs` after the last one, but no longer than
 * `maxMs` after the first. The first change after quiet is always built at once.
 */
export const debounce = z
  .strictObject({
    quietMs: whole('milliseconds of quiet', 0, 60_000)
      .prefault(20)
      .describe(
        'While proxies are taking a build, the next waits until nothing changed for so many milliseconds; else a change is built at once.',
      ),
    maxMs: whole('milliseconds of longest wait', 0, 600_000)
      .prefault(200)
      .describe('But no longer than this after the first change, in milliseconds.'),
  })
  .refine(({ quietMs, maxMs }) => quietMs <= maxMs, { error: 'maxMs to be no less than quietMs' })
  .prefault({})
  .describe('How changes gather that come soon after a build. The first one after quiet is built at once.');
