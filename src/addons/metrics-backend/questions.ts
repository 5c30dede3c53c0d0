import * as z from 'zod';

/** More points than Prometheus itself gives for one series. Source: Prometheus, web/api/v1, "exceeded maximum resolution". */
const maxPoints = 11_000;
const maxQueryLength = 16_384;

const query = z.string({ error: 'is not text' }).trim().min(1, 'is empty').max(maxQueryLength).describe('PromQL');

const time = z
  .string({ error: 'is not an ISO 8601 time such as 2026-01-02T03:04:05Z' })
  .transform((text, context): Date => {
    const date = new Date(text);
    if (isoTime.test(text) && !Number.isNaN(date.getTime())) return date;
    context.addIssue({ code: 'custom', message: 'is not an ISO 8601 time such as 2026-01-02T03:04:05Z' });
    return z.NEVER;
  })
  .meta({ type: 'string', format: 'date-time' });

/** With a zone: a time without one would mean the reader's zone. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/i;

const step = z
  .union([z.string(), z.number()], { error: 'is not a duration such as "15s"' })
  .transform((value, context): number => {
    const seconds = typeof value === 'number' ? value : secondsOf(value);
    if (seconds !== undefined && seconds >= 0.001 && seconds <= 366 * 86_400) return seconds;
    context.addIssue({ code: 'custom', message: 'is not a duration such as "15s" or "5m", or a number of seconds' });
    return z.NEVER;
  })
  .meta({ description: 'Such as `15s`; bare numbers are seconds' });

const unitSeconds: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 7 * 86_400,
  y: 365 * 86_400,
};

/** Seconds of a duration in Prometheus' form, or of a bare number. */
function secondsOf(text: string): number | undefined {
  if (/^\d{1,12}(\.\d{1,9})?$/.test(text)) return Number(text);
  if (!/^(\d{1,9}(ms|s|m|h|d|w|y)){1,7}$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(\d+)(ms|s|m|h|d|w|y)/g))
    seconds += Number(amount) * (unitSeconds[unit] ?? 0);
  return seconds;
}

/** The body of `POST /v1/metrics/query`. */
export const instantQuestion = z
  .strictObject({ query, time: time.optional().describe('ISO 8601; now without it') })
  .meta({ id: 'InstantQuery', description: 'A PromQL expression for one moment.' });

/** The body of `POST /v1/metrics/query_range`. */
export const rangeQuestion = z
  .strictObject({ query, start: time, end: time, step })
  .meta({ id: 'RangeQuery', description: 'A PromQL expression for many moments.' })
  .refine(({ start, end }) => start <= end, { path: ['end'], error: 'is before start' })
  .refine(({ start, end, step: seconds }) => (end.getTime() - start.getTime()) / 1000 / seconds <= maxPoints, {
    path: ['step'],
    error: `is so short that there would be more than ${maxPoints} points`,
  });

export type InstantQuestion = z.output<typeof instantQuestion>;
export type RangeQuestion = z.output<typeof rangeQuestion>;
