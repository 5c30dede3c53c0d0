import { keyOf, parseObjectKey } from '../../gateway-api/index.ts';
import type { Site } from '../judge/site.ts';
import { tlsSecret } from '../judge/tls-secret.ts';
import { SettingsOf } from '../settings-of.ts';
import { isHostname } from '../values/hostname.ts';
import type { Ingress } from '../world/objects.ts';

/** A host with a certificate of its own: the Ingress that names it first decides. */
export interface HostCertificate {
  readonly host: string;
  /** The host that it is another name of, or itself. */
  readonly of: string;
  readonly namespace: string;
  readonly secretName: string;
  /** Which ListenerSet of the namespace has its listener, from 0. */
  readonly set: number;
}

/** Hosts with certificates, by host. Canaries have none. */
export function hostCertificates(
  { ordered, world, servers }: Site,
  left: ReadonlySet<string>,
): ReadonlyMap<string, HostCertificate> {
  const found = new Map<string, Omit<HostCertificate, 'set'>>();
  for (const ingress of ordered) {
    if (left.has(keyOf(ingress)) || new SettingsOf(ingress, world.controller).is('canary')) continue;
    for (const host of namesOf(ingress)) {
      const secretName = tlsSecret(ingress, host, world);
      const { namespace = 'default' } = ingress.metadata;
      if (secretName !== undefined && !found.has(host)) found.set(host, { host, of: host, namespace, secretName });
    }
  }
  for (const [alias, of] of servers.aliases) {
    const own = found.get(of);
    if (own !== undefined && isHostname(alias) && !found.has(alias)) found.set(alias, { ...own, host: alias });
  }
  const counts = new Map<string, number>();
  const sorted = [...found.values()].sort((a, b) => (a.host < b.host ? -1 : 1));
  return new Map(
    sorted.map((certificate) => {
      const count = counts.get(certificate.namespace) ?? 0;
      counts.set(certificate.namespace, count + 1);
      return [certificate.host, { ...certificate, set: Math.floor(count / mostListeners) }];
    }),
  );
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
