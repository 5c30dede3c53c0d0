import { type KindName, keyOf } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type {
  Dirty,
  KindModules,
  Mishaps,
  ReferenceLookup,
  RouteSettings,
  RuleOwner,
  RuleSetting,
} from '../engine/index.ts';
import { type HttpRouteObject, type RouteObject, routeKey, type TargetNote } from '../model/index.ts';

/** What policies of all kinds say of routes for requests, in the order of the registry. */
export class RoutePolicies {
  readonly #kinds: readonly (readonly [KindName, RouteSettings])[];
  readonly #lookup: ReferenceLookup;
  readonly #mishaps: Mishaps;

  constructor(modules: KindModules, lookup: ReferenceLookup, mishaps: Mishaps) {
    this.#kinds = (Object.keys(modules) as KindName[]).flatMap((kind) => {
      const { routes } = modules[kind];
      return routes ? [[kind, routes] as const] : [];
    });
    this.#lookup = lookup;
    this.#mishaps = mishaps;
  }

  /**
   * What a rule is with its policies.
   *
   * @param rule its name, if it has one, and where it is
   * @param written as the route describes it
   * @param invalidStatus what requests get that a policy lets nowhere
   */
  apply(
    route: HttpRouteObject,
    {
      name,
      clientCertificate,
      hasRawPaths,
      traffic,
    }: Pick<RuleOwner, 'clientCertificate' | 'hasRawPaths' | 'traffic'> & { readonly name: string | undefined },
    written: ir.RouteRule,
    invalidStatus: number,
  ): ir.RouteRule {
    if (this.#kinds.length === 0) return written;
    const owner = { route: routeKey(route.kind, keyOf(route)), rule: name, clientCertificate, hasRawPaths, traffic };
    let applied = written;
    for (const [kind, settings] of this.#kinds) {
      const { fields, isClosed } = this.#settingOf(kind, settings, owner, applied) ?? {};
      if (isClosed) return { action: { kind: 'respond', status: invalidStatus } };
      if (fields) applied = { ...applied, ...fields };
    }
    return applied;
  }

  /** An error of ours closes the rule, as what a policy demands and does not find does. All policies of the kind that are for the route say so. */
  #settingOf(
    kind: KindName,
    { settingOf, edge }: RouteSettings,
    owner: RuleOwner,
    rule: ir.RouteRule,
  ): RuleSetting | undefined {
    try {
      return settingOf(owner, rule, this.#lookup);
    } catch (error) {
      const policies = [...this.#lookup.edges.of(edge).sourcesOf(owner.route)];
      if (policies.length === 0) throw error;
      for (const policy of policies) this.#mishaps.note(kind, policy, error);
      return { isClosed: true };
    }
  }

  /** What is demanded of the clients of a route of connections. */
  connections(route: RouteObject, rule: string | undefined): ir.RouteAccess | undefined {
    const owner = { route: routeKey(route.kind, keyOf(route)), rule };
    for (const [, { connectionsOf }] of this.#kinds) {
      const access = connectionsOf?.(owner, this.#lookup);
      if (access) return access;
    }
    return undefined;
  }

  /** What the status of a route says of its policies. */
  notes(route: RouteObject): readonly TargetNote[] {
    const key = routeKey(route.kind, keyOf(route));
    const names = ((route.spec?.rules ?? []) as readonly { readonly name?: string }[]).flatMap(
      ({ name }) => name ?? [],
    );
    return this.#kinds.flatMap(
      ([, { noteAt, edge }]) =>
        (noteAt && this.#lookup.edges.of(edge).count(key) > 0 ? noteAt(key, names, this.#lookup) : undefined) ?? [],
    );
  }

  /** The route is attached elsewhere now, which the statuses of its policies report. */
  mark(route: string, dirty: Dirty): void {
    for (const [kind, { edge }] of this.#kinds) dirty.markStatuses(kind, this.#lookup.edges.of(edge).sourcesOf(route));
  }
}
