import { nameFromIngress, type ObjectKey, objectKey, parseObjectKey, wildcardsAbove } from '../../gateway-api/index.ts';
import { type HostCertificate, hostCertificates } from '../convert/certificates.ts';
import { passedTo, type Site } from '../judge/site.ts';
import { isHostname } from '../values/hostname.ts';
import { type GatewayListeners, httpsListenerOf } from './gateway-listeners.ts';

/** The Ingress that has a listener for a wildcard such as `*.example.com` at the Gateway, beside those that are made now. */
export type WildcardOwner = (wildcard: string) => ObjectKey | undefined;

/**
 * The HTTPS listener of each host that is not served by one of the Gateway's own. A host without a certificate needs one too where a wildcard has a
 * listener: proxies take that for all names below it, and would answer there for another Ingress.
 */
export function nativeCertificates(
  site: Site,
  listeners: GatewayListeners,
  ownerOf: WildcardOwner,
): ReadonlyMap<string, HostCertificate> {
  const left = new Set(site.dead.keys());
  const hasDefault = (host: string) => httpsListenerOf(listeners, host) !== undefined;
  const own = hostCertificates(site, { left, isAnnotated: false, hasDefault });
  const all = new Map<string, HostCertificate>();
  for (const [host, each] of own) all.set(host, { ...each, listenerSet: nameFromIngress(each.ingress) });
  // Wildcards first: others may be below them.
  for (const bare of bareNames(site, own)) {
    const listener = belowWildcard(bare, site, { listeners, ownerOf, all });
    if (listener !== undefined) all.set(bare.name, listener);
  }
  return all;
}

/** A name that requests come for, and the host whose paths they get. */
interface BareName {
  readonly name: string;
  readonly of: string;
}

function bareNames(site: Site, own: ReadonlyMap<string, HostCertificate>): readonly BareName[] {
  const { servers } = site;
  const hosts = [...servers.all.values()].flatMap((server) =>
    passedTo(server, site) === undefined ? [{ name: server.host, of: server.wwwOf ?? server.host }] : [],
  );
  const aliases = [...servers.aliases].map(([name, of]) => ({ name, of }));
  const labels = ({ name }: BareName) => name.split('.').length;
  return [...hosts, ...aliases]
    .filter(({ name }) => isHostname(name) && !own.has(name))
    .sort((a, b) => labels(a) - labels(b) || (a.name < b.name ? -1 : 1));
}

interface Around {
  readonly listeners: GatewayListeners;
  readonly ownerOf: WildcardOwner;
  /** What is known so far. */
  readonly all: ReadonlyMap<string, HostCertificate>;
}

function belowWildcard({ name, of }: BareName, site: Site, around: Around): HostCertificate | undefined {
  const [first] = site.byHost.get(of) ?? [];
  const above = wildcardsAbove(name)
    .map((wildcard, at) => ({ wildcard, at, owner: ownerIn(wildcard, around) }))
    .find(({ owner }) => owner !== undefined);
  if (first === undefined || above?.owner === undefined) return undefined;
  const { wildcard, at, owner } = above;
  const standard = httpsListenerOf(around.listeners, name);
  if (standard !== undefined && standard.hostname.length >= wildcard.length) return undefined;
  const common = { host: name, of, secretName: '', set: 0, annotations: {} };
  const { namespace, name: ingress } = parseObjectKey(owner);
  const isOwn = site.byHost.get(of)?.every(({ metadata }) => (metadata.namespace ?? '') === namespace);
  // Its certificate is for one label, and for hosts of its own namespace.
  if (at === 0 && isOwn && !name.startsWith('*.'))
    return { ...common, namespace, ingress, listenerSet: nameFromIngress(ingress), isBorrowed: true };
  if (standard === undefined) return undefined;
  const { metadata } = first;
  const listenerSet = nameFromIngress(metadata.name);
  const { certificateRefs } = standard;
  return { ...common, namespace: metadata.namespace ?? '', ingress: metadata.name, listenerSet, certificateRefs };
}

function ownerIn(wildcard: string, { all, ownerOf }: Around): ObjectKey | undefined {
  const near = all.get(wildcard);
  return near && !near.isBorrowed ? objectKey(near.namespace, near.ingress) : ownerOf(wildcard);
}

/** Wildcards with a listener among what an Ingress became. */
export const wildcardsOf = (
  objects: readonly { readonly kind: string; readonly object: object }[],
): readonly string[] =>
  objects.flatMap(({ kind, object }) => {
    if (kind !== 'ListenerSet') return [];
    const { spec } = object as { readonly spec: { readonly listeners: readonly { readonly hostname: string }[] } };
    return spec.listeners.flatMap(({ hostname }) => (hostname.startsWith('*.') ? [hostname] : []));
  });

/** Ingresses that are made together know of each other. */
export const otherOwners =
  (members: readonly ObjectKey[], ownerOf: WildcardOwner): WildcardOwner =>
  (wildcard) => {
    const owner = ownerOf(wildcard);
    return owner !== undefined && members.includes(owner) ? undefined : owner;
  };
