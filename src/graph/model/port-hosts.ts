import { wildcardsAbove } from '../../gateway-api/index.ts';
import type { ResolvedListener } from './listener.ts';
import { portFamilyOf } from './listener-spec.ts';

/**
 * The serving listeners of one port, by hostname, which is theirs alone. The proxy has one listener for them, and separates
 * connections by SNI or Host.
 */
export type PortHosts = ReadonlyMap<string, ResolvedListener>;

/** The serving listeners by port and family, each port in the order of the listeners. */
export function portsOf(serving: readonly ResolvedListener[]): PortHosts[] {
  const ports = Map.groupBy(serving, ({ port, protocol }) => `${portFamilyOf(protocol)} ${port}`);
  return [...ports.values()].map((members) => new Map(members.map((member) => [member.hostname, member])));
}

/** The most specific listener of the port that stands for a host. */
export function ownerOf({ owners }: { readonly owners: PortHosts }, host: string): ResolvedListener | undefined {
  const name = [host, ...wildcardsAbove(host)].find((hostname) => owners.has(hostname));
  return name === undefined ? undefined : owners.get(name);
}

/** The listeners whose hostnames cover the one given and more, the most specific first. */
export const widerThan = (owners: PortHosts, hostname: string): ResolvedListener[] =>
  wildcardsAbove(hostname).flatMap((wide) => owners.get(wide) ?? []);

/** For each listener of the port, by place, those that cover some of its hosts or of whose hosts it covers some. */
export function overlapsOf(owners: PortHosts): Map<string, ResolvedListener[]> {
  const overlaps = new Map<string, ResolvedListener[]>();
  const add = (one: ResolvedListener, other: ResolvedListener) => {
    const known = overlaps.get(one.place);
    if (known) known.push(other);
    else overlaps.set(one.place, [other]);
  };
  for (const listener of owners.values()) {
    for (const wide of widerThan(owners, listener.hostname)) {
      add(listener, wide);
      add(wide, listener);
    }
  }
  return overlaps;
}
