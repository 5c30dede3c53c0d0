import type { ReadingRejected } from '../../sources/index.ts';
import { HttpError } from '../http/index.ts';

/** What it means to a client that its text was not read. */
export function readingError({ reason, message }: ReadingRejected): HttpError {
  if (reason === 'time' || reason === 'memory')
    return new HttpError('body_too_costly', `the body ${message}`, { details: [{ path: '', message }] });
  return new HttpError('reading_busy', `the body ${message}`, { headers: { 'Retry-After': '1' } });
}
