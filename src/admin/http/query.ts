import type { Context } from 'koa';
import { HttpError } from './http-error.ts';
import { isStrict, noteIgnored, strictParameter, unknownAdvice } from './unknown-query.ts';

/**
 * The query parameters of a request, each at most once. One that is not in `known` is ignored by a read, with a Warning header that says so; it
 * is a 400 for a write, and for a read that asks for that. Throws a 400 for a repeated one.
 */
export function readQuery(ctx: Context, known: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const unknown: string[] = [];
  for (const [name, value] of new URLSearchParams(ctx.querystring)) {
    const isKnown = known.includes(name) || (name === strictParameter && isRead(ctx));
    if (!isKnown) unknown.push(name);
    else if (values.has(name)) throw invalidQuery(name, 'given more than once');
    else values.set(name, value);
  }
  const strict = flag(strictParameter, values.get(strictParameter) ?? 'false');
  values.delete(strictParameter);
  const [first] = unknown;
  if (first === undefined) return values;
  // A write that does less or more than was meant cannot be taken back.
  if (strict || !isRead(ctx) || isStrict(ctx))
    throw invalidQuery(first, `unknown query parameter; ${unknownAdvice(first, known)}`);
  noteIgnored(ctx, unknown, known);
  return values;
}

const isRead = ({ method }: Context): boolean => method === 'GET' || method === 'HEAD';

/** A 400 that names the query parameter. */
export const invalidQuery = (name: string, message: string): HttpError =>
  new HttpError('query_invalid', `query parameter ${JSON.stringify(name)}: ${message}`, {
    details: [{ path: name, message }],
  });

/** The value as one of a few words; throws a 400 that lists them. */
export function oneOf<const W extends string>(name: string, value: string, words: readonly W[]): W {
  const found = words.find((word) => word === value);
  if (found === undefined) throw invalidQuery(name, `expected one of ${words.join(', ')}`);
  return found;
}

/** `true` or `false`; anything else is a 400. */
export const flag = (name: string, value: string): boolean => oneOf(name, value, ['true', 'false']) === 'true';

/** A whole number from `min` to `max`; anything else is a 400. */
export function whole(name: string, value: string, min: number, max: number): number {
  const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw invalidQuery(name, `expected a whole number from ${min} to ${max}`);
}
