import { type KindName, keyOf } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type { Dirty, KindModules, Lookup, RouteSettings } from '../engine/index.ts';
import { type HttpRouteObject, routeKey } from '../model/index.ts';

/** What policies of all kinds say of routes for requests, in the order of the registry. */
export class RoutePolicies {
  readonly #kinds: readonly (readonly [KindName, RouteSettings])[];
  readonly #lookup: Lookup;

  constructor(modules: KindModules, lookup: Lookup) {
    this.#kinds = (Object.keys(modules) as KindName[]).flatMap((kind) => {
      const { routes } = modules[kind];
      return routes ? [[kind, routes] as const] : [];
    });
    this.#lookup = lookup;
  }

  /**
   * What a rule is with its policies.
   *
   * @param name the rule's, if it has one
   * @param invalidStatus what requests get that a policy lets nowhere
   */
  apply(route: HttpRouteObject, name: string | undefined, rule: ir.RouteRule, invalidStatus: number): ir.RouteRule {
    if (this.#kinds.length === 0) return rule;
    const owner = { route: routeKey(route.kind, keyOf(route)), rule: name };
    let applied = rule;
    for (const [, { settingOf }] of this.#kinds) {
      const { fields, isClosed } = settingOf(owner, applied, this.#lookup) ?? {};
      if (isClosed) return { action: { kind: 'respond', status: invalidStatus } };
      if (fields) applied = { ...applied, ...fields };
    }
    return applied;
  }

  /** The route is attached elsewhere now, which the statuses of its policies report. */
  mark(route: string, dirty: Dirty): void {
    for (const [kind, { edge }] of this.#kinds) dirty.markStatuses(kind, this.#lookup.edges.of(edge).sourcesOf(route));
  }
}
