import type { ListSpec } from '../http/index.ts';
import { snakeCase } from './snake-case.ts';

/** The same list with the words that `sort` takes in snake_case, as the fields are. */
export const snakeSorts = <T>(spec: ListSpec<T>): ListSpec<T> => ({
  ...spec,
  sorts: Object.fromEntries(Object.entries(spec.sorts).map(([name, sort]) => [snakeCase(name), sort])),
});
