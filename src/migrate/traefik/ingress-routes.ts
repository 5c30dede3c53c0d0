import { idOf, type SourceObject, type SourceObjects } from '../kit/objects.ts';
import { type Output, objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import { type Note, type Table, Visit } from '../kit/table.ts';
import { type Fields, isFields, listOf, textOf } from '../kit/values.ts';
import type { Listeners } from './listeners.ts';
import { readMiddlewares } from './middlewares.ts';
import type { TraefikOptions } from './options.ts';
import type { Ordered } from './order.ts';
import { policyObjects } from './policies.ts';
import { conjunctionsOf } from './rule/conjunctions.ts';
import { matchesOf, pathOf, type RuleMatch } from './rule/matches.ts';
import { parseRule, RuleError } from './rule/parse.ts';
import { filtersOf } from './rule-filters.ts';
import type { Services } from './services.ts';
import { noteOption } from './tls-options.ts';

/** One of `routes` of an IngressRoute, with what its rule is for. */
interface RouteRead {
  readonly fields: Fields;
  readonly matches: readonly RuleMatch[];
}

export interface IngressRouteRead {
  readonly source: SourceObject;
  readonly notes: Note[];
  readonly isTls: boolean;
  readonly routes: readonly RouteRead[];
  readonly ordered: readonly Ordered[];
}

/** Fields of an IngressRoute, and of its routes: what is not listed is lost. */
export const ingressRouteTable: Table = {
  entryPoints: { aside: 'listeners' },
  routes: { aside: 'HTTPRoutes' },
  tls: {
    in: {
      secretName: { aside: 'a listener for each host' },
      certResolver: { aside: 'a Certificate of cert-manager' },
      options: { aside: 'a ListenerPolicy of the listener' },
      store: { none: 'there is one default certificate' },
      domains: { none: 'listeners are for the hosts of rules' },
    },
  },
  ingressClassName: { none: 'all objects that are read are converted' },
  parentRefs: {
    cannot: 'routes below others are not converted: write their middlewares into each of them',
    blocks: true,
  },
};
export const routeTable: Table = {
  kind: { aside: 'it is Rule' },
  match: { aside: 'matches' },
  syntax: { aside: 'the grammar of the rule' },
  priority: { aside: 'the order of the Gateway API' },
  services: { aside: 'backendRefs' },
  middlewares: { aside: 'filters and policies' },
  observability: { none: 'logs and metrics are of listeners' },
};

/** Reads the rules of an IngressRoute. */
export function readIngressRoute(source: SourceObject, { syntax: usual }: TraefikOptions): IngressRouteRead {
  const visit = new Visit(false);
  visit.walk(source.spec, ingressRouteTable);
  const { tls, entryPoints } = source.spec;
  const isTls =
    isFields(tls) ||
    (Array.isArray(entryPoints) && entryPoints.length > 0 && entryPoints.every((name) => name === 'websecure'));
  if (isTls && !isFields(tls))
    visit
      .at('tls')
      .note(
        'differs',
        'websecure ends TLS, with the default certificate: Traefik’s own configuration says that, and is not read',
      );
  const routes: RouteRead[] = [];
  const ordered: Ordered[] = [];
  visit.at('routes').guarded(() =>
    visit.at('routes').each(listOf(source.spec.routes ?? []), (fields, at) => {
      at.walk(fields, routeTable);
      const rule = textOf(fields.match);
      const matches = ruleMatches(
        rule,
        fields.syntax === 'v2' || fields.syntax === 'v3' ? fields.syntax : usual,
        at.at('match'),
      );
      routes.push({ fields, matches });
      const priority = typeof fields.priority === 'number' && fields.priority !== 0 ? fields.priority : rule.length;
      for (const match of matches) ordered.push({ id: idOf(source), match, priority });
    }),
  );
  return { source, notes: visit.notes, isTls, routes, ordered };
}

/** What a rule is for. An alternative that has no equivalent here is left out, and the others stay. */
function ruleMatches(rule: string, syntax: 'v2' | 'v3', visit: Visit): readonly RuleMatch[] {
  try {
    return conjunctionsOf(parseRule(rule)).flatMap((literals) => {
      const { matches, lost, differs } = matchesOf(literals, syntax);
      for (const text of lost) visit.miss(`${text}: its requests are not served`);
      for (const text of differs) visit.note('differs', text);
      return matches;
    });
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    visit.miss(`the rule cannot be read: ${error.message}`);
    return [];
  }
}

/** Matches of one rule of an HTTPRoute. */
const mostMatches = 64;

export interface RouteContext {
  readonly objects: SourceObjects;
  readonly options: TraefikOptions;
  readonly listeners: Listeners;
  readonly services: Services;
  readonly output: Output;
  /** Whether no other rule of a host has an expression for its path. */
  readonly isPlain: (hosts: readonly string[]) => boolean;
}

/** HTTPRoutes of an IngressRoute: one for each of its routes and hosts, so that policies can be for each. */
export function writeIngressRoute(
  { source, notes, isTls, routes }: IngressRouteRead,
  context: RouteContext,
): Converted {
  const { namespace, name } = source;
  const groups = routes.flatMap((route, index) =>
    [...Map.groupBy(route.matches, ({ hostnames, clientIPs }) => JSON.stringify([hostnames, clientIPs])).values()].map(
      (matches) => ({ ...route, index, matches }),
    ),
  );
  let isClosed = notes.some(({ blocks }) => blocks) && !context.options.without.has(`${namespace}/${name}`);
  for (const [index, { fields, matches, index: at }] of groups.entries()) {
    const own = groups.length === 1 ? name : `${name}-${index + 1}`;
    const visit = new Visit(false, undefined, notes, `routes[${at}]`);
    if (writeRoute(source, own, fields, matches, isTls, visit, context)) isClosed = true;
  }
  const outcome = groups.length === 0 ? 'left' : isClosed ? 'closed' : 'converted';
  return { id: idOf(source), outcome, notes: unique(notes) };
}

/** Several routes may say the same of their IngressRoute. */
const unique = (notes: readonly Note[]): readonly Note[] => [
  ...new Map(notes.map((note) => [JSON.stringify(note), note])).values(),
];

/** Writes one HTTPRoute with its policies; gives whether it is closed. */
function writeRoute(
  source: SourceObject,
  name: string,
  fields: Fields,
  matches: readonly RuleMatch[],
  isTls: boolean,
  visit: Visit,
  context: RouteContext,
): boolean {
  const { objects, options, listeners, services, output, isPlain } = context;
  const { namespace } = source;
  const [first] = matches;
  if (first === undefined) return false;
  const before = visit.notes.length;
  const { draft, sources } = readMiddlewares(fields.middlewares, namespace, isTls, objects, visit);
  const filters = filtersOf(name, draft, matches, isTls, visit);
  const made = filters.isAnswered
    ? { backendRefs: [], mirrors: [], persistence: undefined }
    : services.ofRoute(fields.services, namespace, 'HTTPRoute', visit);
  if (first.clientIPs.length > 0)
    draft.set('AccessPolicy.clientIPs', allowedOf(draft.get('AccessPolicy.clientIPs'), first.clientIPs, visit));
  const tls = isFields(source.spec.tls) ? source.spec.tls : {};
  const option = isTls ? noteOption(tls, namespace, objects, options.without, visit) : undefined;
  const parents = isTls
    ? listeners.secure(first.hostnames, namespace, tls, option, visit.notes)
    : listeners.plain(textsOf(source.spec.entryPoints), visit.notes);
  const isForced = options.without.has(`${namespace}/${source.name}`);
  const isClosed = !isForced && (visit.notes.slice(before).some(({ blocks }) => blocks) || hasBlocks(source, visit));
  const file = `${namespace}/ingressroute-${source.name}.yaml`;
  const rule = {
    filters: [...filters.all, ...made.mirrors],
    backendRefs: made.backendRefs,
    sessionPersistence: made.persistence,
  };
  const words = matches.map((match) => wordsOf(match, isPlain(match.hostnames)));
  const rules = Array.from({ length: Math.ceil(words.length / mostMatches) }, (_, index) => ({
    matches: words.slice(index * mostMatches, (index + 1) * mostMatches),
    ...Object.fromEntries(
      Object.entries(rule).filter(([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0)),
    ),
  }));
  output.add(
    file,
    objectOf('gateway.networking.k8s.io/v1', 'HTTPRoute', namespace, name, {
      parentRefs: parents,
      ...(first.hostnames.length > 0 && { hostnames: first.hostnames }),
      rules,
    }),
    visit.notes.slice(before),
  );
  for (const [index, spec] of filters.objects.entries())
    output.add(file, objectOf('gatewright.dev/v1alpha1', 'HTTPFilter', namespace, `${name}-${index + 1}`, spec));
  const place = { namespace, name, kind: 'HTTPRoute' };
  for (const object of policyObjects(draft, sources, place, isClosed, services, visit)) output.add(file, object);
  return isClosed;
}

/** What was said of the IngressRoute as a whole. */
const hasBlocks = (_: SourceObject, { notes }: Visit): boolean =>
  notes.some(({ blocks, field }) => blocks && !field.startsWith('routes['));

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** Clients that a rule is for, beside those that a middleware lets in: both must hold. */
function allowedOf(known: unknown, networks: readonly string[], visit: Visit): Fields {
  if (known !== undefined) visit.at('match').lose('a middleware lists addresses too, and both lists must hold', true);
  return { allow: networks };
}

function wordsOf(match: RuleMatch, isPlain: boolean): Fields {
  const path = pathOf(match.path, isPlain);
  return {
    ...(path !== undefined && { path }),
    ...(match.method !== undefined && { method: match.method }),
    ...(match.headers.length > 0 && { headers: match.headers }),
    ...(match.queryParams.length > 0 && { queryParams: match.queryParams }),
  };
}
