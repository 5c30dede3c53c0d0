import * as ir from '../../ir/index.ts';
import { demandsByLevel, demandsOnHost, demandsPart } from './levels.ts';

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

/** How a part gets weaker without going away; undefined: it does not. A part without an entry does not compile. */
type Compare<P extends ir.AccessPart> = (
  before: NonNullable<ir.Access[P]>,
  after: NonNullable<ir.Access[P]>,
) => string | undefined;

const parts: { readonly [P in ir.AccessPart]: { readonly noun: string; readonly compare: Compare<P> } } = {
  clientIPs: {
    noun: 'an allowed address',
    compare: (before, after) =>
      (before.allow && !after.allow && 'every address is allowed') ||
      more(after.allow, before.allow, 'lets more networks in') ||
      more(before.deny, after.deny, 'denies fewer networks'),
  },
  clientCertificates: {
    noun: 'a client certificate',
    compare: (before, after) =>
      (before.names && !after.names && 'lets every client certificate in') ||
      more(after.names, before.names, 'lets client certificates with more names in'),
  },
  csrf: {
    noun: 'a page of its own host',
    compare: (before, after) =>
      (!before.shadow && after.shadow && 'csrf only counts') ||
      more(after.additionalOrigins, before.additionalOrigins, 'lets pages of more origins in'),
  },
  oidc: {
    noun: 'a login',
    compare: (before, after) =>
      more(after.passThrough, before.passThrough, 'lets more requests pass without a login') ||
      (providerOf(before) === providerOf(after) ? undefined : 'takes logins of another provider or client'),
  },
  any: {
    noun: 'one of several credentials',
    compare: (before, after) =>
      more(after.allow, before.allow, 'lets more networks in without a credential') ||
      more(Object.keys(after), Object.keys(before), 'takes more kinds of credentials') ||
      (before.clientCertificates &&
        after.clientCertificates &&
        parts.clientCertificates.compare(before.clientCertificates, after.clientCertificates)) ||
      (before.jwt && after.jwt && parts.jwt.compare(before.jwt, after.jwt)),
  },
  apiKeys: {
    noun: 'an API key',
    compare: (before, after) => more(after.from, before.from, 'takes keys in more places'),
  },
  basicAuth: { noun: 'a password', compare: () => undefined },
  jwt: {
    noun: 'a JWT',
    compare: (before, after) =>
      (!before.optional && after.optional && 'lets requests without a JWT in') ||
      more(
        after.providers.map(({ id }) => id),
        before.providers.map(({ id }) => id),
        'takes JWTs of more providers',
      ) ||
      after.providers.map((provider) => widened(before, provider)).find((text) => text !== undefined),
  },
  forwardAuth: {
    noun: 'the consent of a server',
    compare: (before, after) =>
      !before.failOpen && after.failOpen ? 'lets requests in while its server does not answer' : undefined,
  },
  authorization: {
    noun: 'what its rules say',
    compare: (before, after) =>
      (before.default === 'Deny' && after.default === 'Allow' && 'allows by default what it denied') ||
      more(rulesOf(before, 'Deny'), rulesOf(after, 'Deny'), 'has fewer or other Deny rules') ||
      more(rulesOf(after, 'Allow'), rulesOf(before, 'Allow'), 'has more or other Allow rules'),
  },
};

const providerOf = ({ endpoints, clientId }: ir.Oidc): string => JSON.stringify([endpoints.authorization, clientId]);

const rulesOf = ({ rules }: ir.Authorization, action: 'Allow' | 'Deny') =>
  rules.filter((rule) => rule.action === action).map(({ when }) => when);

function widened({ providers }: ir.Jwt, after: ir.JwtProvider): string | undefined {
  const before = providers.find(({ id }) => id === after.id);
  if (!before) return undefined;
  if (before.issuer && !after.issuer) return 'takes JWTs of any issuer';
  if (before.audiences.length > 0 && after.audiences.length === 0) return 'takes JWTs for any audience';
  return after.audiences.length > 0
    ? more(after.audiences, before.audiences, 'takes JWTs for more audiences')
    : undefined;
}

/** The text where the first list has something that the second lacks. Where one of them is not there, nothing is said. */
function more<T>(these: readonly T[] | undefined, those: readonly T[] | undefined, text: string): string | undefined {
  if (!these || !those) return undefined;
  const known = new Set(those.map((each) => JSON.stringify(each)));
  return these.some((each) => !known.has(JSON.stringify(each))) ? text : undefined;
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
    const place = placeOf(demand);
    const table = (after?.demands ?? []).filter((each) => placeOf(each) === place);
    return found({ table: [demand] }, { table }, [demand.level]);
  });

const placeOf = ({ level, hostnames }: ir.TableAccess): string => JSON.stringify([level, hostnames]);

/** What its table changed is said of the Gateway. */
const compareRoute = (before: Side, after: Side): Found[] => found(before, after, ir.accessLevels);

function found(before: Side, after: Side, levels: readonly ir.AccessLevel[]): Found[] {
  const at = (side: Side) => demandsByLevel({ table: side.table, rule: side.rule }, levels);
  const [was, is] = [at(before), at(after)];
  return ir.accessParts.flatMap((part): Found[] => {
    const demanding = (all: typeof was) =>
      all.filter((each) => demandsPart(each, part) && !each.overridden.includes(part));
    const [those, these] = [demanding(was), demanding(is)];
    if (those.length > 0 && these.length === 0) return [{ part, text: `no longer demands ${parts[part].noun}` }];
    return those.flatMap(({ level, access }) => {
      if (levels.length > 1 && level !== 'route' && level !== 'rule') return [];
      const other = these.find((each) => each.level === level);
      const text = other && comparePart(part, access, other.access);
      return text ? [{ part, text }] : [];
    });
  });
}

/** What was closed let no request in, and is no measure. */
function comparePart(part: ir.AccessPart, before: ir.Access, after: ir.Access): string | undefined {
  const [was, is] = [before[part], after[part]];
  if (!was || !is || before.closed?.includes(part) || after.closed?.includes(part)) return undefined;
  return (parts[part].compare as (a: object, b: object) => string | undefined)(was, is) || undefined;
}
