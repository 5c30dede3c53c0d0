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
        'While proxies apply a build, the next one waits until nothing has changed for this time, in milliseconds. A single change waits only until they have applied it. Otherwise a change is built at once.',
      ),
    maxMs: whole('milliseconds of longest wait', 0, 600_000)
      .prefault(200)
      .describe('Longest wait after the first change, in milliseconds.'),
  })
  .refine(({ quietMs, maxMs }) => quietMs <= maxMs, { error: 'maxMs to be no less than quietMs' })
  .prefault({})
  .describe('How changes are collected into builds. The first change after a quiet time is built at once.');
