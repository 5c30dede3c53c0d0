/** The objects of a value of `kind: List` or of a kind such as HTTPRouteList; undefined: it is one object. */
export function listItems(value: unknown): readonly unknown[] | undefined {
  const { kind, items } = (value ?? {}) as { kind?: unknown; items?: unknown };
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : undefined;
}
