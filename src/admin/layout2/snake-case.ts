import { LazyList } from '../http/index.ts';

/** A value with every key in snake_case, whatever the depth. Values are left alone; keys that are data have no capitals. */
export function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [snakeCase(key), snakeKeys(inner)]));
}

/** `attached_routes` for `attachedRoutes`. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** As snakeKeys for a record of long lists, whose entries are turned when they are written. */
export const snakeLists = (record: object): unknown =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      snakeCase(key),
      Array.isArray(value) ? new LazyList(value, snakeKeys) : snakeKeys(value),
    ]),
  );
