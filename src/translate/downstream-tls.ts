import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { DownstreamTlsContextSchema, packAny, type TransportSocketSchema } from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';
import { adsSource } from './ads-source.ts';
import { clientValidation } from './authorities.ts';
import { secretName } from './names.ts';

/**
 * The transport socket at which TLS ends; certificates come by SDS, and so do the authorities that clients are checked
 * by, under the name `clientAuthorities`. `alpn` are the protocols to offer, best first.
 */
export function downstreamTls(
  { certificates, clients }: ir.ChainTls,
  alpn: readonly string[],
  clientAuthorities: string,
): MessageInitShape<typeof TransportSocketSchema> {
  const context = create(DownstreamTlsContextSchema, {
    ...(clients && { requireClientCertificate: clients.required }),
    commonTlsContext: {
      alpnProtocols: [...alpn],
      tlsCertificateSdsSecretConfigs: certificates.map((key) => ({ name: secretName(key), sdsConfig: adsSource() })),
      ...(clients && { validationContextType: clientValidation(clientAuthorities, clients) }),
    },
  });
  return {
    name: 'envoy.transport_sockets.tls',
    configType: { case: 'typedConfig', value: packAny(DownstreamTlsContextSchema, context) },
  };
}
