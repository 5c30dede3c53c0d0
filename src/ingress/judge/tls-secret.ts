import { objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import { namedSecret } from '../model/certificates.ts';
import { certificateOf } from '../world/host-certificate.ts';
import type { Ingress } from '../world/objects.ts';
import type { World } from '../world/world.ts';

/**
 * The Secret of a host's certificate, by the sections `tls` of an Ingress, as nginx chooses it. Of Secrets that are not there (yet), the section of
 * the wildcard above the host is taken for one of the host, and one without hosts for one of all. Undefined: nginx shows its default certificate.
 */
export function tlsSecret(ingress: Ingress, host: string, world: World): string | undefined {
  const named = namedSecret(ingress, host, world);
  if (named !== undefined) return parseObjectKey(named).name;
  const { metadata, spec } = ingress;
  const sections = (spec.tls ?? []).map(({ hosts = [], secretName }) => ({
    hosts: hosts.map((each) => each.toLowerCase()),
    secretName,
  }));
  if (sections.some(({ hosts }) => hosts.includes(host))) return undefined;
  const wildcard = host.replace(/^[^.]+\./, '*.');
  const isUnread = (name: string) => 'fault' in certificateOf(world.secrets.get(objectKey(metadata.namespace, name)));
  const unread = sections.flatMap(({ hosts, secretName }) =>
    secretName && isUnread(secretName) ? [{ hosts, secretName }] : [],
  );
  const found = unread.find(({ hosts }) => hosts.includes(wildcard)) ?? unread.find(({ hosts }) => hosts.length === 0);
  return found?.secretName;
}
