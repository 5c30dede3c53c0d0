import { keyOf, type ObjectKey, objectKey } from '../../gateway-api/index.ts';
import { pushTo } from '../../std/index.ts';
import { entriesOf } from '../annotations/index.ts';
import type { Placed } from '../features/external-auth.ts';
import { findLocation } from '../model/locations.ts';
import { buildServers, catchAll, orderedIngresses, type Server, type Servers } from '../model/servers.ts';
import { readSettings, type Settings } from '../model/settings.ts';
import type { Upstream } from '../model/upstreams.ts';
import type { Ingress } from '../world/objects.ts';
import { portNumber } from '../world/port-number.ts';
import { secretText } from '../world/secret-text.ts';
import type { World } from '../world/world.ts';

/** Those who sign certificates of clients: of one Secret, for all hosts that ask for certificates. */
export interface ClientAuthorities {
  readonly secret: ObjectKey;
  /** PEM. */
  readonly certificates: string;
}

/** A world with what the controller makes of it. */
export interface Site {
  readonly world: World;
  readonly settings: Settings;
  readonly servers: Servers;
  /** Ingresses that are not served today, with the reason; they are in `servers` if they are wanted. */
  readonly dead: ReadonlyMap<string, string>;
  /** Those of the class, in the controller's order. */
  readonly ordered: readonly Ingress[];
  /** The same by each of their hosts. */
  readonly byHost: ReadonlyMap<string, readonly Ingress[]>;
  /** Undefined: hosts that ask for certificates of clients cannot be converted, or there are none. */
  readonly authorities?: ClientAuthorities | undefined;
  /** Whose certificate the Gateway shows to backends; undefined: several are named, or none. */
  readonly shownCertificate?: ObjectKey | undefined;
}

/** `withDead`: as if the controller served the Ingresses that it does not serve. */
export function siteOf(world: World, withDead: boolean): Site {
  const settings = readSettings(world);
  const today = buildServers({ world, settings });
  const servers = withDead ? buildServers({ world, settings: { ...settings, allowsCritical: true } }) : today;
  const ordered = orderedIngresses(world);
  const byHost = new Map<string, Ingress[]>();
  for (const ingress of ordered) for (const host of hostsOf(ingress)) pushTo(byHost, host, ingress);
  return { world, settings, servers, dead: today.dead, ordered, byHost };
}

/** Names of the hosts of an Ingress, as its servers are called. Beside rules, a default backend is for their hosts alone. */
export function hostsOf({ spec: { rules = [], defaultBackend } }: Ingress): readonly string[] {
  const hosts = rules.map(({ host }) => host || catchAll);
  return [...new Set(hosts.length === 0 && defaultBackend ? [catchAll] : hosts)];
}

/** nginx serves paths of it: those of a canary too, if its Service is that of an Ingress that is none. */
export const hasPaths = (ingress: Ingress, { servers }: Site): boolean =>
  [...hostsOf(ingress), catchAll].some((host) =>
    servers.all.get(host)?.locations.all.some(({ rules }) => rules.ingress === keyOf(ingress)),
  );

/** What gets the connections of a host whose TLS the controller does not end; undefined: it ends it, or the host has no path `/`. */
export function passedTo(server: Server, { world, servers }: Site): Upstream | undefined {
  if (!server.passthrough || world.controller.flags.get('enable-ssl-passthrough') !== 'true') return undefined;
  const root = server.locations.all.find(({ path }) => path === '/');
  return root && servers.upstreams.get(root.upstream);
}

export const serversOf = (ingress: Ingress, { servers }: Site): readonly Server[] =>
  hostsOf(ingress).flatMap((host) => servers.all.get(host) ?? []);

/** What can be looked up from where an Ingress is. */
export function placedAt(ingress: Ingress, site: Site): Placed {
  const { namespace = 'default' } = ingress.metadata;
  return {
    namespace,
    isExempt: isExempt(ingress, site.world),
    configMap: (reference) => {
      const key = reference.includes('/') ? (reference as ObjectKey) : objectKey(namespace, reference);
      return site.world.configMaps.get(key)?.data;
    },
    secretText: (home, name, entry) => secretText(site.world.secrets.get(objectKey(home, name)), entry),
    serviceAt(path) {
      const found = serversOf(ingress, site).map((server) => serviceAt(server, path, site));
      const [first] = found;
      return found.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first : undefined;
    },
  };
}

/** The certificate authority's questions are below such a path. */
function isExempt({ spec }: Ingress, { controller }: World): boolean {
  const prefixes = entriesOf(controller.settings['no-auth-locations'] ?? '/.well-known/acme-challenge');
  const paths = (spec.rules ?? []).flatMap(({ http }) => http?.paths.map(({ path = '/' }) => path) ?? []);
  return paths.length > 0 && paths.every((path) => prefixes.some((prefix) => path.startsWith(prefix)));
}

function serviceAt(server: Server, path: string, { servers, world }: Site): ReturnType<Placed['serviceAt']> {
  const found = findLocation(server.locations, path);
  const upstream = found?.kind === 'location' ? servers.upstreams.get(found.location.upstream) : undefined;
  if (upstream === undefined) return undefined;
  const { service: name, namespace } = upstream;
  const port = portNumber(world, objectKey(namespace, name), upstream.port);
  return port === undefined ? undefined : { name, namespace, port };
}
