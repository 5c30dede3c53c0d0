import { keyOf, objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { Fields } from '../features/part.ts';
import { passedTo, type Site } from '../judge/site.ts';
import { tlsSecret } from '../judge/tls-secret.ts';
import { shownSecret } from '../model/certificates.ts';
import { SettingsOf } from '../settings-of.ts';
import { isHostname } from '../values/hostname.ts';
import { certificateOf, isForHost } from '../world/host-certificate.ts';
import type { Ingress } from '../world/objects.ts';
import { issuingAnnotations } from './issuing.ts';

/** A host with a certificate of its own: the Ingress that names it first decides. */
export interface HostCertificate {
  readonly host: string;
  /** The host that it is another name of, or itself. */
  readonly of: string;
  readonly namespace: string;
  /** The name of that Ingress. */
  readonly ingress: string;
  readonly secretName: string;
  /** Which ListenerSet of the namespace has its listener, from 0. Those of one set have the same `annotations`. */
  readonly set: number;
  /** Of cert-manager, by which it issues the certificate. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The name of that ListenerSet, where it is not the Gateway's with a number. */
  readonly listenerSet?: string;
  /** In place of its Secret: those of a listener of the Gateway. */
  readonly certificateRefs?: readonly Fields[];
  /** The listener is another host's, of the Ingress that is named here. */
  readonly isBorrowed?: true;
}

interface CertificateOptions {
  /** Keys of Ingresses that are left out. */
  readonly left: ReadonlySet<string>;
  /** Annotations of cert-manager go with the certificates. */
  readonly isAnnotated: boolean;
  /** A listener shows another certificate for the host, as nginx does, where its own cannot be shown. By default none does. */
  readonly hasDefault?: (host: string) => boolean;
}

type Found = Omit<HostCertificate, 'set'>;

/** Hosts with certificates, by host. Canaries have none. */
export function hostCertificates(
  site: Site,
  { left, isAnnotated, hasDefault = () => false }: CertificateOptions,
): ReadonlyMap<string, HostCertificate> {
  const { ordered, world, servers } = site;
  const isPassed = (host: string): boolean => {
    const server = servers.all.get(host);
    return server !== undefined && passedTo(server, site) !== undefined;
  };
  const found = new Map<string, Found>();
  const decided = new Set<string>();
  for (const ingress of ordered) {
    if (!ingress.spec.tls?.length) continue;
    if (left.has(keyOf(ingress)) || new SettingsOf(ingress, world.controller).is('canary')) continue;
    for (const host of namesOf(ingress)) {
      if (decided.has(host) || isPassed(host)) continue;
      const isNginx = hasDefault(host);
      const shown = isNginx ? shownSecret(ingress, host, world) : undefined;
      const secretName = isNginx ? shown && parseObjectKey(shown).name : tlsSecret(ingress, host, world);
      if (isNginx || secretName !== undefined) decided.add(host);
      if (secretName === undefined) continue;
      const { namespace = 'default', name } = ingress.metadata;
      const annotations = isAnnotated ? issuingAnnotations(ingress) : {};
      found.set(host, { host, of: host, namespace, ingress: name, secretName, annotations });
    }
  }
  addOtherNames(found, site, hasDefault);
  const sorted = [...found.values()].sort((a, b) => (a.host < b.host ? -1 : 1));
  const setOf = setsOfNamespaces();
  return new Map(sorted.map((certificate) => [certificate.host, { ...certificate, set: setOf(certificate) }]));
}

/** Aliases, and names that are sent to a host, with the host's certificate where it is for them too. */
function addOtherNames(
  found: Map<string, Found>,
  { servers, world }: Site,
  hasDefault: (host: string) => boolean,
): void {
  const covers = ({ namespace, secretName }: Found, host: string): boolean =>
    isForHost(certificateOf(world.secrets.get(objectKey(namespace, secretName))), host);
  for (const [alias, of] of servers.aliases) {
    const own = found.get(of);
    if (own === undefined || !isHostname(alias) || found.has(alias)) continue;
    if (!hasDefault(alias) || covers(own, alias)) found.set(alias, { ...own, host: alias });
  }
  for (const { host, wwwOf } of servers.all.values()) {
    const own = found.get(wwwOf ?? '');
    if (own !== undefined && isHostname(host) && !found.has(host) && covers(own, host))
      found.set(host, { ...own, host });
  }
}

/** The certificate of a host: its own, else that of the wildcard above it. */
export const certificateFor = (
  host: string,
  certificates: ReadonlyMap<string, HostCertificate>,
): HostCertificate | undefined => certificates.get(host) ?? certificates.get(host.replace(/^[^.*]+\./, '*.'));

/** Fills ListenerSets one after the other: those of one namespace with the same annotations, until one is full. */
function setsOfNamespaces(): (certificate: Omit<HostCertificate, 'set'>) => number {
  const sets = new Map<string, number>();
  const open = new Map<string, { readonly set: number; count: number }>();
  return ({ namespace, annotations }) => {
    const key = JSON.stringify([namespace, annotations]);
    const found = open.get(key);
    if (found !== undefined && found.count < mostListeners) {
      found.count += 1;
      return found.set;
    }
    const set = sets.get(namespace) ?? 0;
    sets.set(namespace, set + 1);
    open.set(key, { set, count: 1 });
    return set;
  };
}

/** Listeners of a ListenerSet. Source: ListenerSet.spec.listeners. */
const mostListeners = 64;

const namesOf = ({ spec }: Ingress): readonly string[] =>
  (spec.rules ?? []).flatMap(({ host = '' }) => (isHostname(host) ? host : []));

/** The Secret of `--default-ssl-certificate`. */
export function defaultCertificate({ world }: Site): { readonly namespace: string; readonly name: string } | undefined {
  const flag = world.controller.flags.get('default-ssl-certificate') ?? '';
  return /^[a-z0-9][-a-z0-9.]*\/[a-z0-9][-a-z0-9.]*$/.test(flag) ? parseObjectKey(flag) : undefined;
}
