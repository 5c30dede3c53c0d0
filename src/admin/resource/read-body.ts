import { bodyParser } from '@koa/bodyparser';
import type { Context, Middleware } from 'koa';
import type { z } from 'zod';
import { type ManifestReader, type ParsedText, ReadingRejected } from '../../sources/index.ts';
import { largestDepth } from '../../yaml/index.ts';
import { type ErrorCodeName, HttpError } from '../http/index.ts';
import { readingError } from './reading-error.ts';

const jsonTypes = ['application/json'];
const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml', 'text/vnd.yaml'];

/** What a body may be answered with before it is looked into. */
export const bodyErrors = [
  'body_malformed',
  'body_too_large',
  'body_too_costly',
  'reading_busy',
  'media_type_unsupported',
] as const;

/** Bytes of a body. */
export const bodyLimit = 1024 * 1024;

const parseText = bodyParser({
  enableTypes: ['text'],
  extendTypes: { text: [...jsonTypes, ...yamlTypes] },
  textLimit: `${bodyLimit}b`,
  encoding: 'utf-8',
  onError(error) {
    const { status, message } = error as Error & { status?: number };
    if (status === 413) throw new HttpError('body_too_large', 'the body is larger than 1 MiB');
    if (status === 415) throw mediaType(message);
    throw new HttpError('body_malformed', `the body cannot be read: ${message}`);
  },
});

/** Reads the body of a write as text, of 1 MiB at most. Throws a 413 or a 415. */
export const readBodyText: Middleware = (ctx, next) => {
  if (ctx.is(...jsonTypes, ...yamlTypes) === false)
    throw mediaType(`not ${ctx.get('Content-Type') || 'without a type'}`);
  if (ctx.is(...jsonTypes, ...yamlTypes) === null)
    throw new HttpError('body_malformed', 'the body is empty', { details: [{ path: '', message: 'is empty' }] });
  const charset = ctx.request.charset.toLowerCase();
  if (!['', 'utf-8', 'utf8'].includes(charset)) throw mediaType(`not in ${charset}`);
  return parseText(ctx, next);
};

/** Has the handler behind it read long bodies with `reader`. */
export const withReader =
  (reader: ManifestReader): Middleware =>
  (ctx, next) => {
    ctx.state.reader = reader;
    return next();
  };

/** The one object of a body that `readBodyText` read. Rejects with a 400 that says where it is wrong. */
export const readObject = (ctx: Context): Promise<unknown> => read(ctx, oneFromYaml);

/** As `readObject`, but a list: in YAML also the objects of several documents, given as a List. */
export const readList = (ctx: Context): Promise<unknown> =>
  read(ctx, (parsed) => ({ apiVersion: 'v1', kind: 'List', items: fromYaml(parsed) }));

async function read(ctx: Context, fromParsed: (parsed: ParsedText) => unknown): Promise<unknown> {
  const text = bodyText(ctx);
  if (text === undefined) throw malformed('', 'the body is empty');
  const value = ctx.is(...jsonTypes) ? fromJson(text) : fromParsed(await parseManifestText(text, readerOf(ctx)));
  checkDepth(value);
  return value;
}

/** The text that `readBodyText` read; undefined for none. */
export function bodyText(ctx: Context): string | undefined {
  const { body } = ctx.request as typeof ctx.request & { body?: unknown };
  return typeof body === 'string' && body.trim() !== '' ? body : undefined;
}

/** What `withReader` has put there. */
export const readerOf = (ctx: Context): ManifestReader => ctx.state.reader as ManifestReader;

/** The value as the schema has it; throws an error with `code` that names each fault. */
export function parseBody<T>(schema: z.ZodType<T>, value: unknown, code: ErrorCodeName): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const details = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = details;
  throw new HttpError(code, `${first?.path || 'the body'}: ${first?.message}`, { details });
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed('', `not valid JSON: ${(error as Error).message}`);
  }
}

function oneFromYaml(parsed: ParsedText): unknown {
  const objects = fromYaml(parsed);
  if (objects.length !== 1) throw malformed('', `${objects.length} objects in the body: send one object per request`);
  return objects[0];
}

function fromYaml({ values, errors }: ParsedText): readonly unknown[] {
  const details = errors.map(({ line, column, message }) => ({ path: `${line}:${column}`, message }));
  const [first] = details;
  if (first !== undefined) throw new HttpError('body_malformed', `${first.path}: ${first.message}`, { details });
  return values;
}

/**
 * The objects and errors of a text from outside. Rejects with a 400 for one that is nested deeper than any object is, or rejected unread; with a
 * 422 or 503 when it takes too long.
 */
export async function parseManifestText(text: string, reader: ManifestReader): Promise<ParsedText> {
  const parsed = await reader.parse(text).catch((error: unknown) => {
    throw error instanceof ReadingRejected ? readingError(error) : error;
  });
  const [error] = parsed.errors;
  if (parsed.isRejected && error) throw malformed('', `${error.line}:${error.column}: ${error.message}`);
  for (const value of parsed.values) checkDepth(value);
  return parsed;
}

function checkDepth(value: unknown): void {
  if (isDeeper(value, largestDepth)) throw malformed('', `nested deeper than ${largestDepth} levels`);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return levels === 0;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}

const mediaType = (message: string): HttpError =>
  new HttpError('media_type_unsupported', `send ${jsonTypes[0]} or ${yamlTypes[0]}, ${message}`);

const malformed = (path: string, message: string): HttpError =>
  new HttpError('body_malformed', message, { details: [{ path, message }] });
