import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  ProxyProtocolConfig_Version,
  ProxyProtocolUpstreamTransportSchema,
  packAny,
  RawBufferSchema,
  type TransportSocketSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { upstreamTls } from './upstream-tls.ts';

/** What connections to endpoints begin with: a PROXY protocol header, then TLS. Undefined: neither. */
export function upstreamSocket(backend: ir.Backend): MessageInitShape<typeof TransportSocketSchema> | undefined {
  const { tls, tuning } = backend;
  const inner = tls && upstreamTls(backend, tls);
  if (!tuning?.proxyProtocol) return inner;
  const socket = create(ProxyProtocolUpstreamTransportSchema, {
    config: { version: ProxyProtocolConfig_Version[tuning.proxyProtocol] },
    transportSocket: inner ?? plain(),
  });
  return {
    name: 'envoy.transport_sockets.upstream_proxy_protocol',
    configType: { case: 'typedConfig', value: packAny(ProxyProtocolUpstreamTransportSchema, socket) },
  };
}

const plain = (): MessageInitShape<typeof TransportSocketSchema> => ({
  name: 'envoy.transport_sockets.raw_buffer',
  configType: { case: 'typedConfig', value: packAny(RawBufferSchema, create(RawBufferSchema)) },
});
