import type * as ir from '../../ir/index.ts';
import { type RankedRoute, rankOf } from '../model/index.ts';

/**
 * Where browsers come back to that log in by a policy of the route, or log out: its own matches may not be for these paths. The filter answers
 * there, and whatever it lets go on finds nothing.
 */
export function loginRoutes(routes: readonly RankedRoute[]): readonly RankedRoute[] {
  const known = new Set<string>();
  return routes.flatMap(({ route: { id, rule } }) => {
    const { access } = rule.filters ?? {};
    if (!access) return [];
    const { rule: ofRule, ...ofRoute } = access;
    return [
      ...pathsOf(ofRoute.route?.oidc).map((path) => ({ ...path, access: ofRoute })),
      ...pathsOf(ofRule?.oidc).map((path) => ({ ...path, access })),
    ]
      .filter(({ key }) => !known.has(key) && known.add(key))
      .map(({ path, name, access: demanded }) => {
        const match = {
          path: { kind: 'exact' as const, value: path },
          method: undefined,
          headers: [],
          queryParams: [],
        };
        const answers: ir.RouteRule = { filters: { access: demanded }, action: { kind: 'respond', status: 404 } };
        return { route: { id: `${id}/login/${name}`, match, rule: answers }, rank: rankOf(match) };
      });
  });
}

function pathsOf(login: ir.Oidc | undefined) {
  if (!login) return [];
  const { session, redirectPath, logout } = login;
  const paths = [{ name: 'callback', path: redirectPath }, ...(logout ? [{ name: 'logout', path: logout.path }] : [])];
  return paths.map(({ name, path }) => ({ name, path, key: `${session} ${path}` }));
}
