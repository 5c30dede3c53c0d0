import { objectKey } from '../../gateway-api/index.ts';
import { firstNames } from '../../std/index.ts';
import type { RouteContext } from '../convert/routes.ts';
import { namedSecret } from '../model/certificates.ts';
import { certificateOf, isForHost } from '../world/host-certificate.ts';
import type { Ingress } from '../world/objects.ts';
import type { IngressFault } from './options.ts';

/** Sections `tls` by which a host gets no certificate of its own, with what clients see instead. */
export function certificateFaults(ingress: Ingress, context: RouteContext): readonly IngressFault[] {
  if (!ingress.spec.tls?.length) return [];
  const hosts = new Set((ingress.spec.rules ?? []).flatMap(({ host }) => host || []));
  const byWhy = Map.groupBy(hosts, (host) => faultOf(host, ingress, context));
  return [...byWhy].flatMap(([why, some]) => {
    if (why === undefined) return [];
    return [{ reason: 'CertificateNotUsed', message: `${firstNames(some, mostNames)}: ${why}` }];
  });
}

const mostNames = 5;

function faultOf(host: string, ingress: Ingress, context: RouteContext): string | undefined {
  const { certificates, site } = context;
  const shown = certificates.get(host);
  // Another Ingress of the host decides.
  if (shown?.secretName && shown.ingress !== ingress.metadata.name) return undefined;
  const named = namedSecret(ingress, host, site.world);
  if (named === undefined) {
    const isSaid = ingress.spec.tls?.some(({ hosts, secretName }) => !secretName && hosts?.includes(host));
    return isSaid ? undefined : `no Secret of its section tls has a certificate for it, so ${instead(host, context)}`;
  }
  const read = certificateOf(site.world.secrets.get(named));
  if (isForHost(read, host)) return undefined;
  const what = 'fault' in read ? read.fault : 'has a certificate for other names';
  return `Secret ${named} ${what}, so ${instead(host, context)}`;
}

function instead(host: string, { certificates, served, options }: RouteContext): string {
  const shown = certificates.get(host);
  const { namespace, name } = options.gateway;
  const gateway = `Gateway ${objectKey(namespace, name)}`;
  if (shown?.isBorrowed) return `clients see the certificate of Ingress ${objectKey(shown.namespace, shown.ingress)}`;
  if (shown?.certificateRefs) return `clients see the certificate of ${gateway}`;
  if (shown?.secretName) return 'there is no HTTPS that clients accept';
  const listener = served?.httpsListener(host);
  return listener === undefined
    ? `there is no HTTPS: ${gateway} has no listener for it`
    : `clients see the certificate of listener ${listener} of ${gateway}`;
}
