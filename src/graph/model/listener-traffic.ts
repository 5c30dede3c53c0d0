import type * as ir from '../../ir/index.ts';

/** What policies of a listener and above say of a rule's own fields, by group of fields that is taken whole. */
export interface RuleTraffic {
  /** Where neither the rule nor a policy of a lower level says otherwise. */
  readonly defaults?: Readonly<Record<string, ir.RuleSettings>>;
  /** Whatever these say. */
  readonly overrides?: Readonly<Record<string, ir.RuleSettings>>;
  /** Filters that routes have no say in. */
  readonly finalFilters?: readonly ir.TrafficFilter[];
  /** Those that each route has by itself, unless it or a policy of a lower level says otherwise. */
  readonly filters?: ir.TrafficFilters;
  readonly sources?: ir.TrafficSources;
  /** Keys of the policies whose extensions act, in their order: those of routes come behind them. */
  readonly extensions?: readonly string[];
}

/** Filters, and which policies they are from. */
export type Treatment = Pick<ir.TrafficPart, 'filters' | 'sources' | 'closed'>;

/** How policies treat the requests to a listener. */
export interface ListenerTraffic {
  /** Read where rules are resolved: when it changes, all routes are resolved again. */
  readonly rules?: RuleTraffic;
  /** What the filter chains of its table do: a change of it marks no route. */
  readonly filters?: Treatment;
  /** Of the ports that no other Gateway shares; it marks no route either. */
  readonly patch?: ir.ListenerPatch;
}

/** What several kinds of policies say of one listener: each has fields of its own. */
export function joinTraffic(found: readonly ListenerTraffic[]): ListenerTraffic | undefined {
  const [first, ...others] = found;
  if (!first || others.length === 0) return first;
  const rules = found.flatMap((each) => each.rules ?? []);
  const filters = found.flatMap((each) => each.filters ?? []);
  const patch = found.find((each) => each.patch)?.patch;
  return {
    ...(rules.length > 0 && { rules: Object.assign({}, ...rules) }),
    ...(filters.length > 0 && { filters: joinTreatments(filters) }),
    ...(patch && { patch }),
  };
}

function joinTreatments(treatments: readonly Treatment[]): Treatment {
  const closed = treatments.flatMap((each) => each.closed ?? []);
  return {
    filters: Object.assign({}, ...treatments.map(({ filters }) => filters)),
    sources: Object.assign({}, ...treatments.map(({ sources }) => sources)),
    ...(closed.length > 0 && { closed }),
  };
}
