import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { DownstreamTlsContextSchema, packAny, type TransportSocketSchema } from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';
import { adsSource } from './ads-source.ts';
import { secretName } from './names.ts';

/** The transport socket at which TLS ends; certificates come by SDS. `alpn` are the protocols to offer, best first. */
export function downstreamTls(
  { certificates }: ir.ChainTls,
  alpn: readonly string[],
): MessageInitShape<typeof TransportSocketSchema> {
  const context = create(DownstreamTlsContextSchema, {
    commonTlsContext: {
      alpnProtocols: [...alpn],
      tlsCertificateSdsSecretConfigs: certificates.map((key) => ({ name: secretName(key), sdsConfig: adsSource() })),
    },
  });
  return {
    name: 'envoy.transport_sockets.tls',
    configType: { case: 'typedConfig', value: packAny(DownstreamTlsContextSchema, context) },
  };
}
