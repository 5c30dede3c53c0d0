import { strictTransport } from '../features/custom-headers.ts';
import type { Fields } from '../features/part.ts';
import type { Finding } from '../finding.ts';
import type { Judged } from '../judge/judge.ts';
import { hostsOf, passedTo, type Site, serversOf } from '../judge/site.ts';
import { hasCertificate } from '../model/hosts.ts';
import type { PlacedLocation } from '../model/locations.ts';
import { catchAll, type Server } from '../model/servers.ts';
import { isHostname } from '../values/hostname.ts';
import { certificateFor, type HostCertificate } from './certificates.ts';
import { forwardedRule } from './forwarded.ts';
import { type PathRule, pathOf, pathRules } from './matches.ts';
import { nameOf, setName, unusedName } from './names.ts';
import { withOneLabel } from './one-label.ts';
import type { ConvertOptions } from './options.ts';
import { OwnFilters } from './own-filters.ts';
import { cut, cutRules, mostRules, nameGroups } from './pieces.ts';
import { appRoot, rootRoutes } from './root.ts';
import type { Route } from './route.ts';
import { answerHeaders, rulesOf } from './rules.ts';
import { isBelowWider, unmatchedOf, unmatchedRoutes } from './unmatched.ts';

/** What all routes are made with. */
export interface RouteContext {
  readonly site: Site;
  readonly options: ConvertOptions;
  readonly certificates: ReadonlyMap<string, HostCertificate>;
  /** There is an HTTPS listener for hosts without a certificate of their own. */
  readonly hasDefault: boolean;
  /** Served by this control plane itself, and not written into files. */
  readonly served?: ServedContext;
}

/** What Ingresses are served by, and in what they are answered as Kubernetes says rather than as nginx does. */
export interface ServedContext {
  /** The Gateway's listener without hostname. */
  readonly httpListener: string;
  /** The one for HTTPS of a host without a certificate of its own. */
  readonly httpsListener: (host: string) => string | undefined;
}

export interface RoutesMade {
  readonly routes: readonly Route[];
  readonly filters: OwnFilters;
  readonly findings: readonly Finding[];
}

/** Hosts of an Ingress that are served alike. */
interface Group {
  readonly hosts: string[];
  readonly rules: readonly Fields[];
  /** Those of HTTP, where some of its paths are sent to HTTPS. */
  readonly plain: readonly Fields[];
  readonly parents: readonly Fields[];
  /** The HTTPS listeners among them. */
  readonly secure: readonly Fields[];
  /** What sends requests for `/` alone on, before anything else is looked at. */
  readonly root: readonly Fields[];
  readonly redirected: readonly PathRule[];
}

/** The HTTPRoutes of one Ingress: one for its hosts with the same rules, and one that sends clients to HTTPS. `closed`: why all is answered 503. */
export function routesOf(judged: Judged, closed: string | undefined, context: RouteContext): RoutesMade {
  const filters = new OwnFilters(judged.ingress.metadata.name);
  const findings: Finding[] = [];
  const groups: Group[] = [];
  for (const server of serversOf(judged.ingress, context.site)) {
    const group = groupOf(server, judged, closed, context, filters, findings);
    if (group === undefined) continue;
    const same = groups.find((each) => sameText(each, group));
    if (same) same.hosts.push(...group.hosts);
    else groups.push(group);
  }
  const { name } = judged.ingress.metadata;
  const routes = groups.flatMap((group, index) => routesOfGroup(name, group, index, context));
  const all = [...routes, ...wwwRoutes(judged, context), ...notFound(judged, filters, context)];
  return {
    routes: (context.served ? all.map(withOneLabel) : all).map((route) => withOwnName(route, judged, context)),
    filters,
    findings: unique(findings),
  };
}

/** 404 for what no Ingress of a host has, by the host's first; in files where a wider host would take it. */
const notFound = ({ key, ingress }: Judged, filters: OwnFilters, context: RouteContext): readonly Route[] =>
  serversOf(ingress, context.site).flatMap((server, at) => {
    const location = unmatchedOf(server, key);
    if (location === undefined || !isHostname(server.host)) return [];
    if (context.served === undefined && !isBelowWider(server.host, context.site)) return [];
    const secure = securesOf(server, context);
    return unmatchedRoutes(
      [server.host, ...aliasesOf(server, context.site)],
      secure.length > 0 && isRedirected(location, server, context),
      {
        base: nameOf(ingress.metadata.name, at === 0 ? '' : String(at + 1)),
        filters,
        http: httpParent(context),
        secure,
        redirect: toHttps(context),
      },
    );
  });

/** A route is not called as another Ingress of the namespace, whose own route has that name. */
function withOwnName(route: Route, { key, ingress }: Judged, { site }: RouteContext): Route {
  const { name, namespace } = ingress.metadata;
  if (route.name === name) return route;
  const taken = (each: string) =>
    site.ordered.some(({ metadata }) => metadata.name === each && metadata.namespace === namespace);
  return { ...route, name: unusedName(route.name, taken, `${key} ${route.name}`) };
}

/** `from-to-www-redirect`: the other name of a host is sent to it. A wildcard has none: nginx cannot load what is made of it. */
const wwwRoutes = ({ ingress, settings }: Judged, context: RouteContext): readonly Route[] =>
  !settings.is('from-to-www-redirect')
    ? []
    : [...context.site.servers.all.values()]
        .filter(({ host, wwwOf }) => isHostname(host) && wwwOf !== undefined && hostsOf(ingress).includes(wwwOf))
        .map((server, index) => ({
          name: nameOf(ingress.metadata.name, index === 0 ? 'www' : `www-${index + 1}`),
          isMain: false,
          spec: {
            parentRefs: [httpParent(context), ...securesOf(server, context)],
            hostnames: [server.host],
            rules: [
              {
                filters: [
                  {
                    type: 'RequestRedirect',
                    requestRedirect: { hostname: server.wwwOf, statusCode: context.site.settings.httpRedirectCode },
                  },
                ],
              },
            ],
          },
        }));

const sameText = (a: Group, b: Group): boolean =>
  JSON.stringify([a.rules, a.plain, a.parents, a.root, a.redirected.map(pathOf)]) ===
  JSON.stringify([b.rules, b.plain, b.parents, b.root, b.redirected.map(pathOf)]);

const unique = (findings: readonly Finding[]): readonly Finding[] => [
  ...new Map(findings.map((each) => [JSON.stringify(each), each])).values(),
];

function groupOf(
  server: Server,
  judged: Judged,
  closed: string | undefined,
  context: RouteContext,
  filters: OwnFilters,
  findings: Finding[],
): Group | undefined {
  const paths = pathRules(server.locations, judged.key, context.served !== undefined);
  const transport = securesOf(server, context).length === 0 ? undefined : strictTransport(judged.settings.config);
  const root = appRoot(server, judged, filters, [...answerHeaders({ judged, transport })]);
  const isNothing = paths.length === 0 && root.length === 0;
  if (isNothing || !(server.host === catchAll || isHostname(server.host))) return undefined;
  const secure = securesOf(server, context);
  const { answer, redirect } = judged.part;
  // A redirect of the Ingress's own goes before the one to HTTPS.
  const isSentOn = closed !== undefined || answer !== undefined || redirect !== undefined;
  const redirected = isSentOn ? [] : paths.filter(({ location }) => isRedirected(location, server, context));
  const parts = { judged, site: context.site, filters, transport, closed, isServed: context.served !== undefined };
  const made = rulesOf(paths, parts);
  findings.push(...made.findings);
  // Beside a route that sends all to HTTPS, one for the same path would be another route's equal, and might win.
  const plain = redirected.length === 0 ? [] : paths.filter((path) => !redirected.includes(path));
  return {
    hosts: server.host === catchAll ? [] : [server.host, ...aliasesOf(server, context.site)],
    rules: made.rules,
    plain: plain.length === 0 ? [] : rulesOf(plain, parts).rules,
    parents: [...(redirected.length > 0 ? [] : [httpParent(context)]), ...secure],
    secure,
    root,
    redirected,
  };
}

/** Other names of a host; those that are expressions have no equivalent here. */
const aliasesOf = ({ host }: Server, { servers }: Site): readonly string[] =>
  [...servers.aliases].filter(([alias, name]) => name === host && isHostname(alias)).map(([alias]) => alias);

/** HTTP goes to HTTPS where the host has a certificate, or the Ingress says so anyway. */
function isRedirected({ path, rules }: PlacedLocation, server: Server, context: RouteContext): boolean {
  const { site, served } = context;
  const { sslRedirect, forceSslRedirect } = rules;
  const isSecure = securesOf(server, context).length > 0 || passedTo(server, site) !== undefined;
  const isChallenge = site.settings.noTlsRedirect.some((prefix) => path.startsWith(prefix));
  if (isChallenge) return false;
  if (served) return isSecure && (forceSslRedirect || (sslRedirect && server.hasCertificate));
  return forceSslRedirect || (sslRedirect && isSecure && hasCertificate(site.servers, server.host));
}

const httpParent = ({ options: { gateway }, served }: RouteContext): Fields => ({
  name: gateway.name,
  namespace: gateway.namespace,
  sectionName: served?.httpListener ?? 'http',
});

/** The HTTPS listeners that serve a host. */
function securesOf(server: Server, context: RouteContext): readonly Fields[] {
  if (passedTo(server, context.site) !== undefined) return [];
  const { certificates, served } = context;
  const names = [server.host, ...aliasesOf(server, context.site)];
  const setsOf = (name: string) => setOf(served ? certificates.get(name) : certificateFor(name, certificates), context);
  if (served === undefined && setsOf(server.host).length === 0) return ownHttps(server.host, context);
  const parents = names.flatMap((name) => {
    const sets = setsOf(name);
    return sets.length > 0 || !served ? sets : ownHttps(name, context);
  });
  return [...new Map(parents.map((parent) => [JSON.stringify(parent), parent])).values()];
}

const setOf = (certificate: HostCertificate | undefined, { options: { gateway } }: RouteContext): readonly Fields[] =>
  certificate === undefined
    ? []
    : [
        {
          kind: 'ListenerSet',
          name: certificate.listenerSet ?? setName(gateway.name, certificate.set),
          namespace: certificate.namespace,
        },
      ];

/** The Gateway's own listener for hosts without a certificate. */
function ownHttps(host: string, { options: { gateway }, hasDefault, served }: RouteContext): readonly Fields[] {
  const sectionName = served ? served.httpsListener(host) : hasDefault ? 'https' : undefined;
  return sectionName === undefined ? [] : [{ name: gateway.name, namespace: gateway.namespace, sectionName }];
}

function routesOfGroup(
  ingress: string,
  { hosts, rules, plain, parents, secure, root, redirected }: Group,
  index: number,
  context: RouteContext,
): readonly Route[] {
  const base = nameOf(ingress, index === 0 ? '' : String(index + 1));
  const served = (name: string, parentRefs: readonly Fields[], all: readonly Fields[]): readonly Route[] =>
    cutRules(parentRefs.length === 0 ? [] : all)
      .flatMap((some) => nameGroups(hosts).map((names) => ({ some, names })))
      .map(({ some, names }, at) => ({
        name: at === 0 ? name : nameOf(name, `part-${at + 1}`),
        isMain: true,
        spec: { parentRefs, ...(names.length > 0 && { hostnames: names }), rules: some },
      }));
  const isForwarded = redirected.length > 0 && context.site.settings.useForwardedHeaders;
  return [
    ...served(base, parents, rules),
    ...served(nameOf(base, 'plain'), [httpParent(context)], plain),
    ...(isForwarded ? served(nameOf(base, 'forwarded'), [httpParent(context)], rules.map(forwardedRule)) : []),
    ...rootRoutes(base, hosts, root, [httpParent(context), ...secure]),
    ...redirectRoutes(base, hosts, redirected, context),
  ];
}

function redirectRoutes(
  base: string,
  hosts: readonly string[],
  paths: readonly PathRule[],
  context: RouteContext,
): readonly Route[] {
  if (paths.length === 0) return [];
  const filters = [toHttps(context)];
  const rules = cut(paths, 8).map((some) => ({ matches: some.map(pathOf), filters }));
  return cut(rules, mostRules).flatMap((some, at) =>
    nameGroups(hosts).map(
      (names, part): Route => ({
        name: nameOf(base, `to-https${at + part === 0 ? '' : `-${at * 10 + part + 1}`}`),
        isMain: false,
        spec: { parentRefs: [httpParent(context)], ...(names.length > 0 && { hostnames: names }), rules: some },
      }),
    ),
  );
}

function toHttps({ options: { httpsPort }, site }: RouteContext): Fields {
  const requestRedirect = { scheme: 'https', port: httpsPort, statusCode: site.settings.httpRedirectCode };
  return {
    type: 'RequestRedirect',
    requestRedirect: httpsPort === 443 ? { ...requestRedirect, port: undefined } : requestRedirect,
  };
}
