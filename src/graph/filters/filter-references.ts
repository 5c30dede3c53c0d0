import { resolveBackend } from '../backends/index.ts';
import type { Store } from '../engine/index.ts';
import type { BackendUser, FilterSpec, ResolvedBackend, RuleSpec } from '../model/index.ts';
import { httpFilterKeys } from './extension-ref/extension-ref.ts';
import type { FilterReference } from './filter-module.ts';
import { allFilterModules, filterModuleOf } from './filter-modules.ts';

/** The filters of a rule and of its backendRefs. */
const filtersOf = ({ filters = [], backendRefs = [] }: RuleSpec): readonly FilterSpec[] => [
  ...filters,
  ...backendRefs.flatMap((ref): readonly FilterSpec[] => ref.filters ?? []),
];

const referencesOf = (spec: FilterSpec): readonly FilterReference[] =>
  filterModuleOf(spec.type).references?.(spec) ?? [];

/** What the filters of a rule refer to. */
export const filterReferencesOf = (rule: RuleSpec): readonly FilterReference[] => filtersOf(rule).flatMap(referencesOf);

/** Keys of the HTTPFilters that a rule names. */
export const httpFilterKeysOf = (rule: RuleSpec, namespace: string): readonly string[] =>
  httpFilterKeys(filtersOf(rule), namespace);

/** Follows a filter's reference. `user` is the object that has the filter. */
export function resolveReference(
  { backendRef, http2 }: FilterReference,
  user: BackendUser,
  store: Store,
): ResolvedBackend {
  const variant = { ...user.variant, ...(http2 !== undefined && { http2 }) };
  return resolveBackend(backendRef, { ...user, variant }, store);
}

/** Where the references of all filters of a rule lead, by filter; in the order of the list of modules, since statuses name them in it. */
export function resolveReferencesOf(
  rule: RuleSpec,
  user: BackendUser,
  store: Store,
): ReadonlyMap<FilterSpec, readonly ResolvedBackend[]> {
  const specs = filtersOf(rule).filter(({ type }) => filterModuleOf(type).references);
  const ordered = allFilterModules.flatMap((module) => specs.filter(({ type }) => filterModuleOf(type) === module));
  return new Map(
    ordered.map((spec) => [spec, referencesOf(spec).map((reference) => resolveReference(reference, user, store))]),
  );
}
