import type { PortHosts, ResolvedListener } from '../model/index.ts';

/**
 * What all listeners of a port have alike; undefined where they differ. Each port is looked at once, however many tables ask: a port of
 * HTTPS has one for each of its listeners.
 */
export function sameOnPort<T>(of: (listener: ResolvedListener) => T): (owners: PortHosts) => T | undefined {
  const known = new WeakMap<PortHosts, { readonly value: T | undefined }>();
  return (owners) => {
    const before = known.get(owners);
    if (before) return before.value;
    const values = owners.values().map(of);
    const first = values.next();
    const value = !first.done && values.every((each) => each === first.value) ? first.value : undefined;
    known.set(owners, { value });
    return value;
  };
}
