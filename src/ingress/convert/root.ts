import type { Fields } from '../features/part.ts';
import type { Judged } from '../judge/judge.ts';
import type { Server } from '../model/servers.ts';
import { nameOf } from './names.ts';
import type { OwnFilters } from './own-filters.ts';
import { nameGroups } from './pieces.ts';
import type { Route } from './route.ts';

/** `app-root` of an Ingress sends requests for exactly `/` on, for the host. */
export function appRoot(
  { locations }: Server,
  { key }: Judged,
  filters: OwnFilters,
  headers: readonly Fields[],
): readonly Fields[] {
  const by = locations.all.find(({ rules }) => rules.appRoot !== undefined);
  const target = by?.rules.appRoot;
  if (target === undefined || by?.rules.ingress !== key || !/^\/[!"$->@-~]*$/.test(target)) return [];
  const spec = {
    regexRedirect: { pattern: '^/$', substitution: target.replaceAll('\\', '\\\\'), statusCode: 302, stripQuery: true },
  };
  // A rule of an Ingress for exactly this path would come first by its age or name: one with a header more does not.
  const isRivalled = locations.all.some(({ form, path }) => form === 'exact' && path === '/');
  const first = { headers: [{ type: 'RegularExpression', name: 'host', value: '.+' }] };
  const matches = [{ path: { type: 'Exact', value: '/' }, ...(isRivalled && first) }];
  return [{ matches, filters: [...headers, filters.add('app-root', spec)] }];
}

/** A route of its own: no policy of the Ingress is asked before. */
export const rootRoutes = (
  base: string,
  hosts: readonly string[],
  rules: readonly Fields[],
  parentRefs: readonly Fields[],
): readonly Route[] =>
  rules.length === 0
    ? []
    : nameGroups(hosts).map((names, at) => ({
        name: nameOf(base, at === 0 ? 'root' : `root-${at + 1}`),
        isMain: false,
        spec: { parentRefs, ...(names.length > 0 && { hostnames: names }), rules },
      }));
