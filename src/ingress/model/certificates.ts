import { type ObjectKey, objectKey } from '../../gateway-api/index.ts';
import { certificateOf, isForHost } from '../world/host-certificate.ts';
import type { Ingress } from '../world/objects.ts';
import type { World } from '../world/world.ts';

/**
 * The Secret that the sections `tls` of an Ingress name for a host: that of the section which has the host word for word, else the first whose
 * certificate is for it. Undefined: the default certificate. Source: `extractTLSSecretName` of ingress-nginx 1.15.1.
 */
export function namedSecret({ metadata, spec }: Ingress, host: string, { secrets }: World): ObjectKey | undefined {
  const sections = spec.tls ?? [];
  const exact = sections.find(({ hosts }) => hosts?.some((each) => each.toLowerCase() === host.toLowerCase()));
  const keyOfSection = ({ secretName }: { readonly secretName?: string }) =>
    secretName ? objectKey(metadata.namespace, secretName) : undefined;
  if (exact !== undefined) return keyOfSection(exact);
  return sections
    .flatMap((section) => keyOfSection(section) ?? [])
    .find((key) => isForHost(certificateOf(secrets.get(key)), host));
}

/** The same if its certificate can be shown for the host; nginx shows the default certificate otherwise. */
export function shownSecret(ingress: Ingress, host: string, world: World): ObjectKey | undefined {
  const key = namedSecret(ingress, host, world);
  return key !== undefined && isForHost(certificateOf(world.secrets.get(key)), host) ? key : undefined;
}
