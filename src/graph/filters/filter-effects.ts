import type * as ir from '../../ir/index.ts';
import type { FilterEffect } from './filter-module.ts';
import { allFilterModules } from './filter-modules.ts';

type Key = keyof ir.RouteFilters;

const effects: readonly (readonly [Key, FilterEffect])[] = allFilterModules.flatMap(({ key, effect }) =>
  key && effect ? [[key, effect] as const] : [],
);

/** What the admin API shows of the filters of a rule: a schema for each. */
export const filterEffectSchemas = Object.fromEntries(
  effects.map(([key, { schema }]) => [key, schema.optional()]),
) as unknown as Readonly<Record<Key, FilterEffect['schema']>>;

/** What filters do, by those schemas. */
export const showFilters = (filters: ir.RouteFilters = {}): { readonly [K in Key]?: unknown } =>
  Object.fromEntries(
    effects.flatMap(([key, { show }]) => {
      const shown = show(filters);
      return shown === undefined ? [] : [[key, shown]];
    }),
  );
