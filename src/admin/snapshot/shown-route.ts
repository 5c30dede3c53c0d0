import type * as ir from '../../ir/index.ts';

type RuleBesideFilters = Omit<ir.RouteRule, 'filters' | 'action'> & ir.RouteFilters;
type BackendBesideFilters = Omit<ir.WeightedBackend, 'filters'> & ir.RouteFilters;

/** A route as it may be shown: filters are fields of their rule or backend, whose form is the API's and not the IR's. */
export type ShownRoute = Omit<ir.Route, 'rule'> & {
  readonly rule: RuleBesideFilters & {
    readonly action:
      | Exclude<ir.RouteAction, ir.ForwardAction>
      | (Omit<ir.ForwardAction, 'backends'> & { readonly backends: readonly BackendBesideFilters[] });
  };
};

export const shownRoute = ({ rule: { filters, action, ...rule }, ...route }: ir.Route): ShownRoute => ({
  ...route,
  rule: { ...filters, ...rule, action: action.kind === 'forward' ? shownForward(action) : action },
});

const shownForward = (action: ir.ForwardAction) => ({
  ...action,
  backends: action.backends.map(({ filters, rewrite, session, ...backend }) => ({
    ...backend,
    ...filters,
    ...(rewrite && { rewrite }),
    ...(session && { session }),
  })),
});
