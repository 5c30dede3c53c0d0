import type { Fields } from '../features/part.ts';
import type { Route } from './route.ts';

/** A route whose wildcard hosts stand for one label alone, as those of Ingresses do. A hostname of the Gateway API stands for any number. */
export function withOneLabel(route: Route): Route {
  const { hostnames = [], rules = [] } = route.spec as {
    readonly hostnames?: readonly string[];
    readonly rules?: readonly (Fields & { readonly matches?: readonly Fields[] })[];
  };
  if (!hostnames.some((host) => host.startsWith('*.'))) return route;
  const header = {
    type: 'RegularExpression',
    name: 'host',
    value: `(?i)(?:${hostnames.map(labels).join('|')})(?::[0-9]+)?`,
  };
  const narrowed = rules.map(({ matches = [{}], ...rule }) => ({
    matches: matches.map(({ headers = [], ...match }) => ({
      ...match,
      headers: [...(headers as readonly Fields[]), header],
    })),
    ...rule,
  }));
  return { ...route, spec: { ...route.spec, rules: narrowed } };
}

const labels = (host: string): string => host.replaceAll('.', '\\.').replace(/^\*/, '[^.:]+');
