/**
 * Works with as many items as it can, and names those with which it fails. Costs one call where all are good, and a few for each that
 * is not.
 *
 * @param attempt is given some of the items, in their order; throws with any of those that fail among them
 * @throws what it throws without any item
 */
export function withoutFailing<I, R>(
  items: readonly I[],
  attempt: (some: readonly I[]) => R,
): { readonly result: R; readonly failing: ReadonlyMap<I, unknown> } {
  const failing = new Map<I, unknown>();
  try {
    return { result: attempt(items), failing };
  } catch (error) {
    let result = attempt([]);
    let good: readonly I[] = [];
    const add = (some: readonly I[], known: { readonly error: unknown } | undefined): void => {
      const [first] = some;
      if (first === undefined) return;
      let failed = known;
      if (!failed) {
        try {
          result = attempt([...good, ...some]);
          good = [...good, ...some];
          return;
        } catch (fault) {
          failed = { error: fault };
        }
      }
      if (some.length === 1) {
        failing.set(first, failed.error);
        return;
      }
      const middle = Math.ceil(some.length / 2);
      add(some.slice(0, middle), undefined);
      add(some.slice(middle), undefined);
    };
    add(items, { error });
    return { result, failing };
  }
}
