import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type ListenerFilterSchema, ProxyProtocolSchema, packAny, TlsInspectorSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { usesFingerprint } from './fingerprints.ts';

/** What looks at a connection before a chain is chosen for it. */
export function listenerFilters({
  chains,
  proxyProtocol,
}: ir.Listener): MessageInitShape<typeof ListenerFilterSchema>[] {
  const usesTls = chains.some(
    (chain) => chain.tls || chain.kind === 'closed' || (chain.kind === 'stream' && chain.sni),
  );
  return [
    // First, for it stands before the handshake.
    ...(proxyProtocol ? [proxyProtocolFilter(proxyProtocol)] : []),
    ...(usesTls
      ? [
          {
            name: 'envoy.filters.listener.tls_inspector',
            configType: {
              case: 'typedConfig' as const,
              value: packAny(TlsInspectorSchema, create(TlsInspectorSchema, inspected(chains))),
            },
          },
        ]
      : []),
  ];
}

const inspected = (chains: readonly ir.Chain[]): MessageInitShape<typeof TlsInspectorSchema> => ({
  ...(usesFingerprint(chains, 'ja3') && { enableJa3Fingerprinting: true }),
  ...(usesFingerprint(chains, 'ja4') && { enableJa4Fingerprinting: true }),
});

function proxyProtocolFilter(mode: 'required' | 'optional'): MessageInitShape<typeof ListenerFilterSchema> {
  const filter = create(ProxyProtocolSchema, { allowRequestsWithoutProxyProtocol: mode === 'optional' });
  return {
    name: 'envoy.filters.listener.proxy_protocol',
    configType: { case: 'typedConfig', value: packAny(ProxyProtocolSchema, filter) },
  };
}
