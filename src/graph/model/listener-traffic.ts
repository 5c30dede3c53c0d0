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
}

/** Filters, and which policies they are from. */
export type Treatment = Pick<ir.TrafficPart, 'filters' | 'sources'>;

/** How policies treat the requests to a listener. */
export interface ListenerTraffic {
  /** Read where rules are resolved: when it changes, all routes are resolved again. */
  readonly rules?: RuleTraffic;
  /** What the filter chains of its table do: a change of it marks no route. */
  readonly filters?: Treatment;
}
