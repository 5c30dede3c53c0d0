import type { Context } from 'koa';
import { HttpError } from './http-error.ts';

/** The query parameters of a request, each at most once. Throws a 400 for a name that is not in `known`, and for a repeated one. */
export function readQuery(ctx: Context, known: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(ctx.querystring)) {
    if (!known.includes(name)) {
      const advice = known.length === 0 ? 'none is known here' : `known here are ${known.join(', ')}`;
      throw invalidQuery(name, `unknown query parameter; ${advice}`);
    }
    if (values.has(name)) throw invalidQuery(name, 'given more than once');
    values.set(name, value);
  }
  return values;
}

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
