import { LazyList } from '../http/index.ts';

/** `attached_routes` for `attachedRoutes`. */
type SnakeCase<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${SnakeCase<Rest>}`
  : '';

/** A value with every key in snake_case. */
export type Snake<T> = T extends readonly (infer Entry)[]
  ? readonly Snake<Entry>[]
  : T extends object
    ? { readonly [K in keyof T as K extends string ? SnakeCase<K> : K]: Snake<T[K]> }
    : T;

/** A value with every key in snake_case, whatever the depth. Values are left alone; keys that are data have no capitals. */
export function snakeKeys<T>(value: T): Snake<T> {
  return snake(value) as Snake<T>;
}

function snake(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snake);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [snakeCase(key), snake(inner)]));
}

/** `attached_routes` for `attachedRoutes`. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** As snakeKeys for a record of long lists, whose entries are turned when they are written. */
export const snakeLists = <T extends object>(record: T): Snake<T> =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      snakeCase(key),
      Array.isArray(value) ? new LazyList(value, snake) : snake(value),
    ]),
  ) as Snake<T>;
