/**
 * A copy of an object with a field that throws where code of that name reads it: what an error of ours does.
 *
 * @param path of the field
 * @param within a function that is being called then; anywhere, if it is left out
 */
export function broken<T extends object>(object: T, path: readonly (string | number)[], within = ''): T {
  const copy = structuredClone(object);
  const [field = '', ...above] = [...path].reverse();
  let owner = copy as Record<string | number, unknown>;
  for (const part of above.reverse()) owner = owner[part] as typeof owner;
  const value = owner[field];
  Object.defineProperty(owner, field, {
    enumerable: true,
    get() {
      if (new Error().stack?.includes(within)) throw new Error(`no ${String(field)}`);
      return value;
    },
  });
  return copy;
}
