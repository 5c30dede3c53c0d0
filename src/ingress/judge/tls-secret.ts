import { X509Certificate } from 'node:crypto';
import { objectKey } from '../../gateway-api/index.ts';
import type { Ingress } from '../world/objects.ts';
import type { World } from '../world/world.ts';
import { secretText } from './site.ts';

/**
 * The Secret of a host's certificate, by the sections `tls` of an Ingress: one that names the host, else the wildcard above it, else one whose
 * certificate is for the host. Undefined: nginx answers with its default certificate.
 */
export function tlsSecret({ metadata, spec }: Ingress, host: string, world: World): string | undefined {
  const wildcard = host.replace(/^[^.]+\./, '*.');
  const sections = (spec.tls ?? []).map(({ hosts, secretName }) => ({
    hosts: (hosts ?? []).map((each) => each.toLowerCase()),
    secretName: secretName || undefined,
  }));
  const named =
    sections.find(({ hosts }) => hosts.includes(host)) ?? sections.find(({ hosts }) => hosts.includes(wildcard));
  if (named !== undefined) return named.secretName;
  return sections.find(({ hosts, secretName }) => secretName !== undefined && covers(secretName, hosts))?.secretName;

  function covers(secretName: string, hosts: readonly string[]): boolean {
    const text = secretText(world.secrets.get(objectKey(metadata.namespace, secretName)), 'tls.crt');
    // Of a certificate that cannot be read, a section without hosts is taken for one of all hosts.
    if (text === undefined) return hosts.length === 0;
    return isFor(text, host);
  }
}

function isFor(certificate: string, host: string): boolean {
  try {
    return new X509Certificate(certificate).checkHost(host) !== undefined;
  } catch {
    return false;
  }
}
