import { ReadingRejected, TextError } from '../../../sources/index.ts';
import { HttpError } from '../../http/index.ts';
import { readingError } from '../../resource/reading-error.ts';

const readOnly = ['EACCES', 'EPERM', 'EROFS'];

/** What a failed write to a directory means to a client. What is no failure of files stays as it is. */
export function directoryError(caught: unknown): unknown {
  if (caught instanceof HttpError || !(caught instanceof Error)) return caught;
  if (caught instanceof ReadingRejected) return readingError(caught);
  if (caught instanceof TextError)
    return new HttpError('resource_conflict', `the file has to be edited by hand: ${caught.message}`);
  const { code, syscall } = caught as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return caught;
  return new HttpError(readOnly.includes(code) ? 'directory_read_only' : 'directory_unavailable', caught.message);
}
