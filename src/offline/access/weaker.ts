import * as ir from '../../ir/index.ts';
import { demandsByLevel, demandsOnHost, demandsPart } from './levels.ts';
import { weakerConnections } from './weaker-connections.ts';
import { comparePart, nounOf } from './weaker-parts.ts';

/** Something that requests had to show, and need not any more. */
export interface Weaker {
  /** ir.Fleet.key of the proxies. */
  readonly gateway: string;
  /** `KIND/NAMESPACE/NAME` of the route, as ir.Route.id begins; undefined: all requests to a table of the Gateway. */
  readonly route?: string;
  readonly part: ir.AccessPart;
  /** `shop/orders no longer demands a JWT` */
  readonly message: string;
}

/** What became weaker by some changes that led to a snapshot. */
export const weakerAccess = (changes: readonly ir.Change[], after: ir.Snapshot): Weaker[] =>
  weakerBy(changes, (gateway, table) => after.gateways.get(gateway)?.tables.get(table)?.access);

/** What a table demands of all of its requests, after the changes. */
type GuardsAfter = (gateway: string, table: string) => ir.TableGuards | undefined;

/** What became weaker by some changes. Costs what the changes have; routes that did not change are passed over. */
export function weakerBy(changes: readonly ir.Change[], guardsAfter: GuardsAfter): Weaker[] {
  const found = new Map<string, Weaker>();
  const former = new Map<string, ir.TableGuards | undefined>();
  for (const change of changes) {
    if (change.kind !== 'table' || !change.before || !change.after) continue;
    former.set(`${change.gateway} ${change.table}`, change.before.access);
    for (const weaker of weakerTable(change.before.access, change.after.access))
      note(found, { gateway: change.gateway, part: weaker.part, message: `Gateway ${change.gateway} ${weaker.text}` });
  }
  for (const change of changes) {
    if (change.kind !== 'virtualHost' || !change.before || !change.after) continue;
    const { gateway, table } = change;
    const now = guardsAfter(gateway, table);
    const place = `${gateway} ${table}`;
    const was = former.has(place) ? former.get(place) : now;
    const sides = { was: demandsOnHost(was, change.host), now: demandsOnHost(now, change.host) };
    for (const weaker of weakerRoutes(change.before, change.after, sides)) note(found, { gateway, ...weaker });
  }
  for (const change of changes) {
    if (change.kind !== 'stream' || !change.before || !change.after) continue;
    for (const weaker of weakerConnections(change.before, change.after))
      note(found, { gateway: change.gateway, ...weaker });
  }
  return [...found.values()];
}

/** A route is on many hosts, and says the same on each. */
const note = (found: Map<string, Weaker>, weaker: Weaker): void => {
  found.set(`${weaker.gateway} ${weaker.route ?? ''} ${weaker.message}`, weaker);
};

interface Tables {
  readonly was: readonly ir.TableAccess[];
  readonly now: readonly ir.TableAccess[];
}

function* weakerRoutes(
  before: ir.VirtualHost,
  after: ir.VirtualHost,
  { was, now }: Tables,
): Generator<Omit<Weaker, 'gateway'>> {
  const kept = new Set(after.routes);
  const changed = before.routes.filter((route) => !kept.has(route) && (was.length > 0 || route.rule.filters?.access));
  if (changed.length === 0) return;
  const known = new Set(before.routes);
  const next = new Map(after.routes.flatMap((route) => (known.has(route) ? [] : [[matchKey(route), route] as const])));
  for (const route of changed) {
    const then = next.get(matchKey(route));
    if (!then) continue;
    const sides = [
      { table: was, rule: route.rule.filters?.access },
      { table: now, rule: then.rule.filters?.access },
    ] as const;
    const { kind, namespace, name } = ir.parseRouteId(route.id);
    for (const { part, text } of compareRoute(...sides))
      yield { route: `${kind}/${namespace}/${name}`, part, message: `${namespace}/${name} ${text}` };
  }
}

/** Rules may move in their route: what they match does not change with that. */
function matchKey({ id, match }: ir.Route): string {
  const { kind, namespace, name } = ir.parseRouteId(id);
  return `${kind}/${namespace}/${name} ${JSON.stringify(match)}`;
}

interface Side {
  readonly table: readonly ir.TableAccess[];
  readonly rule?: ir.RouteAccess | undefined;
}

interface Found {
  readonly part: ir.AccessPart;
  readonly text: string;
}

/** Of a table alone: of each level, and of each part of the listeners' hostnames. */
const weakerTable = (before: ir.TableGuards | undefined, after: ir.TableGuards | undefined): Found[] =>
  (before?.demands ?? []).flatMap((demand) => {
    // Of several policies that came too late: what was closed is no measure.
    if (demand.source === '') return [];
    const table = (after?.demands ?? []).filter((each) => covers(each, demand));
    return found({ table: [demand] }, { table }, [demand.level]);
  });

/** Whether one is of all hosts of the other, at its level. */
const covers = (one: ir.TableAccess, { level, hostnames }: ir.TableAccess): boolean =>
  one.level === level &&
  (one.hostnames === undefined || (hostnames?.every((host) => one.hostnames?.includes(host)) ?? false));

/** What its table changed is said of the Gateway. */
const compareRoute = (before: Side, after: Side): Found[] => found(before, after, ir.accessLevels);

function found(before: Side, after: Side, levels: readonly ir.AccessLevel[]): Found[] {
  const at = (side: Side) => demandsByLevel({ table: side.table, rule: side.rule }, levels);
  const [was, is] = [at(before), at(after)];
  return ir.accessParts.flatMap((part): Found[] => {
    const demanding = (all: typeof was) =>
      all.filter((each) => demandsPart(each, part) && !each.overridden.includes(part));
    const [those, these] = [demanding(was), demanding(is)];
    if (those.length > 0 && these.length === 0) return [{ part, text: `no longer demands ${nounOf(part)}` }];
    return those.flatMap(({ level, access }) => {
      if (levels.length > 1 && level !== 'route' && level !== 'rule') return [];
      const other = these.find((each) => each.level === level);
      const text = other && comparePart(part, access, other.access);
      return text ? [{ part, text }] : [];
    });
  });
}
