import * as ir from '../../ir/index.ts';
import type { StoredObjects } from '../engine/index.ts';
import type { FilterSpec, ResolvedBackend } from '../model/index.ts';
import { contradiction } from './extension-ref/extension-ref.ts';
import type { FilterModule, ResolvedFilters } from './filter-module.ts';
import { allFilterModules, filterModuleOf } from './filter-modules.ts';

/** The object that has the filters, and where their references lead. */
export interface FilterOwner {
  readonly namespace: string;
  readonly isGrpc: boolean;
  readonly store: StoredObjects;
  readonly targetsOf: (spec: FilterSpec) => readonly ResolvedBackend[];
}

/** Resolves a list of filters, in the order of writing. Never throws for what a user wrote: that is a fault. */
export function resolveFilters(
  specs: readonly FilterSpec[] = [],
  { targetsOf, ...owner }: FilterOwner,
): ResolvedFilters {
  let earlier: ResolvedFilters = {};
  for (const spec of specs) {
    const module = filterModuleOf(spec.type);
    const next = module.resolve(spec, { ...owner, earlier, targets: targetsOf(spec) });
    earlier = { ...joined(earlier, next), ...traitsOf(module, spec) };
  }
  const filters = inOrder(earlier.filters);
  const fault = earlier.fault ?? contradiction(earlier);
  return { ...earlier, ...(filters && { filters }), ...(fault && { fault }) };
}

const joined = (earlier: ResolvedFilters, next: ResolvedFilters): ResolvedFilters => ({
  ...earlier,
  ...next,
  ...((earlier.filters ?? next.filters) && { filters: { ...earlier.filters, ...next.filters } }),
  ...((earlier.referenceFaults ?? next.referenceFaults) && {
    referenceFaults: [...(earlier.referenceFaults ?? []), ...(next.referenceFaults ?? [])],
  }),
  ...((earlier.rewrite ?? next.rewrite) && { rewrite: { ...earlier.rewrite, ...next.rewrite } }),
});

/** A bad value is reported before anything else that is wrong with the filter. */
function traitsOf({ ruleOnly, valueFault }: FilterModule, spec: FilterSpec): ResolvedFilters {
  const message = valueFault?.(spec);
  return {
    ...(ruleOnly && { ruleOnly }),
    ...(message !== undefined && { fault: { reason: 'UnsupportedValue', message } }),
  };
}

/** The order of the list of modules, whatever the order of writing. */
const inOrder = (filters: ir.RouteFilters = {}): ir.RouteFilters | undefined => pick(filters, () => true);

/** What is left of a rule's filters where its requests are not forwarded. */
export const withoutForwarding = (filters: ir.RouteFilters = {}): ir.RouteFilters | undefined =>
  pick(filters, ({ forwardedOnly }) => !forwardedOnly);

/** Undefined rather than empty: most rules have no filters, and an object for each of them takes memory. */
function pick(filters: ir.RouteFilters, isWanted: (module: FilterModule) => boolean): ir.RouteFilters | undefined {
  const fields = allFilterModules.flatMap((module) => {
    const value = module.key && filters[module.key];
    return value !== undefined && isWanted(module) ? [[module.key, value]] : [];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

const accessOf = ({ access }: ir.RouteFilters): readonly ir.Access[] =>
  [access?.route, access?.rule].filter((level) => level !== undefined);

/** Keys of the backends that filters send requests to, those of policies too. */
export const filterBackends = (filters: ir.RouteFilters = {}): readonly string[] => [
  ...allFilterModules.flatMap(({ backendsOf }) => backendsOf?.(filters) ?? []),
  ...accessOf(filters).flatMap(({ forwardAuth, others = [] }) => [forwardAuth?.backend ?? [], others].flat()),
  ...[filters.limits?.route, filters.limits?.rule].flatMap((limits) => ir.limitBackends(limits?.buckets)),
  ...ir.trafficBackends(filters.traffic),
];
