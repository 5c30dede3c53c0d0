import { keyOf, type ObjectKey } from '../../gateway-api/index.ts';
import type { Ingress } from '../world/objects.ts';
import { isServed, type World } from '../world/world.ts';
import { Annotations, criticalAnnotations } from './annotations.ts';
import { mergeCanaries } from './canaries.ts';
import { shownSecret } from './certificates.ts';
import { type LocationRules, locationRules } from './location.ts';
import { type Location, type PathType, type PlacedLocations, placeLocations } from './locations.ts';
import { type NginxRegex, nginxRegex } from './regex.ts';
import { bytesOf } from './request-path.ts';
import type { Site } from './site.ts';
import { defaultUpstream, makeUpstreams, type Upstream, upstreamName } from './upstreams.ts';

/** What nginx has for one host. */
export interface Server {
  /** `_`: every host that no other server names. */
  readonly host: string;
  readonly locations: PlacedLocations;
  /** It has a certificate, its own or the default one: some Ingress of it has a section `tls`. */
  readonly hasCertificate: boolean;
  /** The Secret of that certificate; undefined: the default one. */
  readonly shown?: ObjectKey | undefined;
  /** Requests for this name go to the host of the server. */
  readonly wwwOf?: string;
  /** Why everything on it is answered 403. */
  readonly closed: string | undefined;
  readonly passthrough: boolean;
  /** Requests over TLS without a certificate of the client get 400. */
  readonly asksCertificate: boolean;
}

export interface Servers {
  readonly all: ReadonlyMap<string, Server>;
  /** Hosts of servers by alias. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Aliases that are expressions, in the order of the hosts. */
  readonly patterns: readonly { readonly regex: NginxRegex; readonly host: string }[];
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Ingresses of the class that are not served, by key, with the reason. */
  readonly dead: ReadonlyMap<string, string>;
}

export const catchAll = '_';

/** A server while Ingresses are gathered into it. */
interface Draft {
  readonly host: string;
  readonly locations: Location[];
  aliases: readonly string[];
  hasCertificate: boolean;
  shown?: ObjectKey | undefined;
  fromToWww: boolean;
  closed: string | undefined;
  /** `auth-tls-verify-client` of the first Ingress that names authorities. */
  certificate: string | undefined;
  readonly passthrough: boolean;
}

/** Those of the class in their order: the older first; of equal ages the greater key. */
export function orderedIngresses(world: World): Ingress[] {
  const ageOf = ({ metadata: { creationTimestamp } }: Ingress): number => Date.parse(creationTimestamp ?? '') || 0;
  return world.ingresses
    .filter((ingress) => isServed(world, ingress))
    .sort((a, b) => ageOf(a) - ageOf(b) || (keyOf(a) < keyOf(b) ? 1 : -1));
}

/** What the controller makes of a world. Source: `getBackendServers` of ingress-nginx 1.15.1. */
export function buildServers(site: Site): Servers {
  const { world } = site;
  const all = orderedIngresses(world);
  const dead = new Map(all.flatMap((ingress) => deathOf(ingress, site)));
  const served = all.filter((ingress) => !dead.has(keyOf(ingress)));
  const upstreams = makeUpstreams(served, world);
  const builder = new ServersBuilder(site, upstreams);
  for (const ingress of served) builder.addHosts(ingress);
  for (const ingress of served) builder.addFacts(ingress);
  for (const ingress of served) builder.addPaths(ingress);
  mergeCanaries(served, builder.drafts, upstreams);
  return { ...builder.finish(), upstreams, dead };
}

function deathOf(ingress: Ingress, { world, settings }: Site): [string, string][] {
  if (settings.allowsCritical) return [];
  const all = new Annotations(ingress, world.controller);
  const critical = criticalAnnotations.find((name) => all.text(name) !== undefined);
  return critical ? [[keyOf(ingress), `${critical} is above annotations-risk-level`]] : [];
}

class ServersBuilder {
  readonly drafts = new Map<string, Draft>();
  readonly #site: Site;
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  readonly #rules = new Map<string, LocationRules>();

  constructor(site: Site, upstreams: ReadonlyMap<string, Upstream>) {
    this.#site = site;
    this.#upstreams = upstreams;
    const rules = locationRules(unowned, site);
    this.drafts.set(catchAll, this.#draft(catchAll, { rules, upstream: defaultUpstream }, false));
  }

  /** A server for each host, with the annotations of the first Ingress that names it. */
  addHosts(ingress: Ingress): void {
    const all = new Annotations(ingress, this.#site.world.controller);
    if (all.flag('canary')) return;
    const { defaultBackend, rules = [] } = ingress.spec;
    const own = defaultBackend && upstreamName(ingress, defaultBackend);
    if (own !== undefined && rules.length === 0) this.#setCatchAll(ingress, own);
    for (const { host } of rules) {
      const name = host || catchAll;
      if (this.drafts.has(name)) continue;
      const start = { rules: this.#rulesOf(ingress), upstream: own ?? defaultUpstream };
      this.drafts.set(name, this.#draft(name, start, all.flag('ssl-passthrough') ?? false));
    }
  }

  /** The first Ingress with a default backend and without rules takes all unknown hosts. */
  #setCatchAll(ingress: Ingress, upstream: string): void {
    const { locations } = this.drafts.get(catchAll) as Draft;
    const [root] = locations as [Location];
    if (!root.isDefault) return;
    const { redirect, rewriteTarget } = root.rules;
    locations[0] = {
      ...root,
      upstream,
      rules: { ...this.#rulesOf(ingress), redirect, rewriteTarget },
      isDefault: false,
    };
  }

  /** Aliases and the certificate: of the first Ingress of the host that has some. */
  addFacts(ingress: Ingress): void {
    const { world } = this.#site;
    const all = new Annotations(ingress, world.controller);
    if (all.flag('canary')) return;
    for (const { host } of ingress.spec.rules ?? []) {
      const draft = this.drafts.get(host || catchAll) as Draft;
      if (draft.aliases.length === 0) draft.aliases = all.list('server-alias');
      if (draft.hasCertificate || !ingress.spec.tls?.length) continue;
      draft.hasCertificate = true;
      if (draft.host !== catchAll) draft.shown = shownSecret(ingress, draft.host, world);
    }
  }

  addPaths(ingress: Ingress): void {
    const { world } = this.#site;
    const fault = clientFault(ingress, world);
    const demand = fault === undefined ? clientDemand(ingress, world) : undefined;
    for (const { host, http } of ingress.spec.rules ?? []) {
      const draft = this.drafts.get(host || catchAll) ?? (this.drafts.get(catchAll) as Draft);
      draft.closed ??= fault;
      draft.certificate ??= demand;
      for (const { path = '', pathType, backend } of http?.paths ?? []) {
        const name = upstreamName(ingress, backend);
        const upstream = name === undefined ? undefined : this.#upstreams.get(name);
        if (upstream === undefined || upstream.canary !== undefined) continue;
        const type = pathType === 'Exact' ? 'Exact' : 'Prefix';
        this.#addPath(draft, {
          path: bytesOf(path || '/'),
          type,
          upstream: upstream.name,
          rules: this.#rulesOf(ingress),
        });
      }
    }
  }

  /** The first of two for the same path and type counts; the server's own `/` gives way to the first. */
  #addPath(draft: Draft, location: Omit<Location, 'isDefault'>): void {
    const { path, type, rules } = location;
    const at = draft.locations.findIndex((each) => each.path === path && each.type === type);
    const present = draft.locations[at];
    if (present && !present.isDefault) return;
    if (present) draft.locations[at] = { ...location, isDefault: false };
    else draft.locations.push({ ...location, isDefault: false });
    draft.fromToWww ||= rules.fromToWww;
  }

  finish(): Pick<Servers, 'all' | 'aliases' | 'patterns'> {
    const all = this.#servers();
    const named = [...this.drafts.values()]
      .flatMap(({ host, aliases }) => aliases.map((alias) => ({ alias, host })))
      .sort((a, b) => (a.host < b.host ? -1 : 1))
      .filter(({ alias }) => !all.has(alias));
    const patterns = named.flatMap(({ alias, host }) => {
      if (!alias.startsWith('~')) return [];
      const regex = nginxRegex(alias.replace(/^~\*?/, ''), { ignoresCase: alias.startsWith('~*') });
      return 'fault' in regex ? [] : [{ regex, host }];
    });
    return { all, aliases: new Map(named.map(({ alias, host }) => [alias, host])), patterns };
  }

  #servers(): Map<string, Server> {
    const servers = new Map<string, Server>();
    for (const { fromToWww: _, aliases: __, locations, certificate, ...draft } of this.drafts.values())
      servers.set(draft.host, {
        ...draft,
        asksCertificate: certificate === 'on',
        locations: placeLocations(locations),
      });
    for (const { host, fromToWww, hasCertificate } of this.drafts.values()) {
      const other = host.startsWith('www.') ? host.slice(4) : `www.${host}`;
      if (!fromToWww || host === catchAll || servers.has(other)) continue;
      const empty = { locations: { all: [] }, closed: undefined, asksCertificate: false, passthrough: false };
      servers.set(other, { ...empty, host: other, hasCertificate, wwwOf: host });
    }
    return servers;
  }

  #draft(host: string, root: Pick<Location, 'rules' | 'upstream'>, passthrough: boolean): Draft {
    const type: PathType = 'Prefix';
    const locations = [{ ...root, path: '/', type, isDefault: true }];
    return {
      host,
      locations,
      aliases: [],
      hasCertificate: false,
      fromToWww: false,
      closed: undefined,
      certificate: undefined,
      passthrough,
    };
  }

  #rulesOf(ingress: Ingress): LocationRules {
    const key = keyOf(ingress);
    const known = this.#rules.get(key) ?? locationRules(ingress, this.#site);
    this.#rules.set(key, known);
    return known;
  }
}

/** Of the location that no Ingress made. */
const unowned: Ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: '' }, spec: {} };

/** How clients of its hosts are asked for certificates; undefined: they are not. */
function clientDemand(ingress: Ingress, { controller }: World): string | undefined {
  const all = new Annotations(ingress, controller);
  const mode = all.text('auth-tls-verify-client') ?? 'on';
  return all.text('auth-tls-secret') === undefined || mode === 'off' ? undefined : mode;
}

/** A Secret of authorities that is not there closes the host. */
function clientFault(ingress: Ingress, { controller, secrets, unread }: World): string | undefined {
  const name = new Annotations(ingress, controller).text('auth-tls-secret');
  if (name === undefined || unread.has('Secret') || secrets.has(name as never)) return undefined;
  return `auth-tls-secret names Secret ${name}, which does not exist`;
}
