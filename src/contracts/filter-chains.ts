/** How the names of the two filter chains (ECDS) of each HTTP table begin; the table's id follows. */
export const chainPrefixes = { access: 'access/', traffic: 'traffic/' } as const;

/** Whether an ECDS resource is a filter chain of an HTTP table. */
export const isFilterChain = (name: string): boolean =>
  Object.values(chainPrefixes).some((prefix) => name.startsWith(prefix));

/** The table that a scope is of, by its name. */
export const tableOfScope = (name: string): string => name.slice(0, name.indexOf('|'));
