/** What of a status these benches look at. */
export interface Condition {
  readonly type: string;
  readonly status: string;
}

export interface WithParents {
  readonly status?: { readonly parents?: readonly { readonly conditions?: readonly Condition[] }[] };
}

/** True when a condition of that type is there and `True`. */
export const says = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditions?.some((one) => one.type === type && one.status === 'True') ?? false;

/** True when one of a route's parents has accepted it. */
export const isAccepted = ({ status }: WithParents): boolean =>
  status?.parents?.some(({ conditions }) => says(conditions, 'Accepted')) ?? false;
