import type { Fields } from '../features/part.ts';

/** Hostnames of an HTTPRoute. Source: HTTPRoute.spec.hostnames. */
const mostHosts = 16;

/** Hosts as routes name them; a route without hosts has one list that is empty. */
export const nameGroups = (hosts: readonly string[]): readonly (readonly string[])[] =>
  hosts.length === 0 ? [[]] : cut(hosts, mostHosts);

export const cut = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));

/** Of an HTTPRoute. Source: HTTPRoute.spec.rules. */
export const mostRules = 16;
const mostMatches = 128;

/** Rules with their matches as many as a route may have, in their order. */
export function cutRules(rules: readonly Fields[]): readonly (readonly Fields[])[] {
  const routes: Fields[][] = [];
  let matches = mostMatches + 1;
  for (const rule of rules) {
    const own = (rule.matches as readonly unknown[] | undefined)?.length ?? 1;
    if (matches + own > mostMatches || routes.at(-1)?.length === mostRules) {
      routes.push([]);
      matches = 0;
    }
    routes.at(-1)?.push(rule);
    matches += own;
  }
  return routes;
}
