const known = new WeakMap<object, Map<string, { readonly inputs: readonly unknown[]; readonly result: unknown }>>();

/** What was made before of the same objects: a policy's content is asked for again for each match of each route that it is for. */
export function madeOnce<T>(policy: object, name: string, inputs: readonly unknown[], make: () => T): T {
  const ofPolicy = known.get(policy) ?? new Map();
  known.set(policy, ofPolicy);
  const before = ofPolicy.get(name);
  if (before?.inputs.length === inputs.length && inputs.every((input, index) => input === before.inputs[index]))
    return before.result as T;
  const result = make();
  ofPolicy.set(name, { inputs, result });
  return result;
}
