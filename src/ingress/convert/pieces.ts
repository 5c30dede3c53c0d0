/** Hostnames of an HTTPRoute. Source: HTTPRoute.spec.hostnames. */
const mostHosts = 16;

/** Hosts as routes name them; a route without hosts has one list that is empty. */
export const nameGroups = (hosts: readonly string[]): readonly (readonly string[])[] =>
  hosts.length === 0 ? [[]] : cut(hosts, mostHosts);

export const cut = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
