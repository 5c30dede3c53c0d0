import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { DownstreamTlsContextSchema, packAny, type TransportSocketSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { adsSource, durationOf, secretName, tlsParams } from '../resource/index.ts';
import { clientValidation } from '../secrets/index.ts';

/** Without it, a client that connects and stays silent would hold its connection without end. */
const defaultHandshakeTimeoutMs = 10_000;

export const handshakeTimeoutMs = (tls: ir.ChainTls | undefined): number =>
  tls?.parameters?.handshakeTimeoutMs ?? defaultHandshakeTimeoutMs;

/** Of a filter chain with TLS. */
export const handshakeTimeout = (tls: ir.ChainTls) => ({
  transportSocketConnectTimeout: durationOf(handshakeTimeoutMs(tls)),
});

/** The transport socket at which TLS ends. */
export function downstreamTls(
  ...context: Parameters<typeof downstreamTlsContext>
): MessageInitShape<typeof TransportSocketSchema> {
  return {
    name: 'envoy.transport_sockets.tls',
    configType: {
      case: 'typedConfig',
      value: packAny(DownstreamTlsContextSchema, create(DownstreamTlsContextSchema, downstreamTlsContext(...context))),
    },
  };
}

const resumption = (by: ir.TlsParameters['resumption']) => ({
  ...((by === 'tickets' || by === 'none') && { disableStatefulSessionResumption: true }),
  ...((by === 'ids' || by === 'none') && {
    sessionTicketKeysType: { case: 'disableStatelessSessionResumption' as const, value: true },
  }),
});

/**
 * TLS that ends here; certificates come by SDS, and so do the authorities that clients are checked by, under the name
 * `clientAuthorities`. `alpn` are the protocols to offer, best first.
 */
export const downstreamTlsContext = (
  { certificates, clients, parameters }: ir.ChainTls,
  alpn: readonly string[],
  clientAuthorities: string,
): MessageInitShape<typeof DownstreamTlsContextSchema> => ({
  ...(clients && { requireClientCertificate: clients.required }),
  // A resumed session would have its client's certificate without another look: also after it has ended or was revoked.
  ...resumption(clients ? 'none' : parameters?.resumption),
  commonTlsContext: {
    ...(parameters && { tlsParams: tlsParams(parameters) }),
    alpnProtocols: [...alpn],
    tlsCertificateSdsSecretConfigs: certificates.map((key) => ({ name: secretName(key), sdsConfig: adsSource() })),
    ...(clients && { validationContextType: clientValidation(clientAuthorities, clients) }),
  },
});
