import { create } from '@bufbuild/protobuf';
import { ClusterHttpProtocolOptionsSchema, packAny } from '../../envoy/index.ts';
import { mergePatch } from '../../envoy-patch/index.ts';
import type * as ir from '../../ir/index.ts';
import { durationOf, http1Options, http2Keepalive } from '../resource/index.ts';
import { askedFilters } from './asked-filters.ts';
import { egressFilters, upstreamCodec } from './egress-filters.ts';
import { heldSecrets } from './held-secrets.ts';

/** How HTTP is spoken to a backend, as an extension of its cluster. */
export function httpOptions(backend: ir.Backend) {
  const { hostname, allowedAddresses = [], tuning = {}, patch } = backend;
  const common = commonOptions(tuning);
  const filters = [
    ...(hostname === undefined ? [] : egressFilters(allowedAddresses)),
    ...askedFilters(backend),
    ...heldSecrets(backend),
  ];
  const options = create(ClusterHttpProtocolOptionsSchema, {
    ...(Object.keys(common).length > 0 && { commonHttpProtocolOptions: common }),
    upstreamProtocolOptions: versions(backend),
    ...(filters.length > 0 && { httpFilters: [...filters, upstreamCodec()] }),
  });
  if (patch?.httpProtocolOptions) mergePatch('httpProtocolOptions', options, patch.httpProtocolOptions);
  return packAny(ClusterHttpProtocolOptionsSchema, options);
}

function commonOptions({
  timeouts: { requestMs, idleMs, maxConnectionDurationMs } = {},
  limits = {},
}: ir.BackendTuning) {
  return {
    ...(requestMs !== undefined && { maxStreamDuration: durationOf(requestMs) }),
    ...(idleMs !== undefined && { idleTimeout: durationOf(idleMs) }),
    ...(maxConnectionDurationMs !== undefined && { maxConnectionDuration: durationOf(maxConnectionDurationMs) }),
    ...(limits.requestsPerConnection !== undefined && { maxRequestsPerConnection: limits.requestsPerConnection }),
  };
}

function versions({ protocol, tuning: { http1, http2, usesClientProtocol } = {} }: ir.Backend) {
  const httpProtocolOptions = http1Options(http1) ?? {};
  const http2ProtocolOptions = http2Options(http2);
  if (usesClientProtocol)
    return { case: 'useDownstreamProtocolConfig' as const, value: { httpProtocolOptions, http2ProtocolOptions } };
  const protocolConfig =
    protocol === 'h2c'
      ? { case: 'http2ProtocolOptions' as const, value: http2ProtocolOptions }
      : { case: 'httpProtocolOptions' as const, value: httpProtocolOptions };
  return { case: 'explicitHttpConfig' as const, value: { protocolConfig } };
}

const http2Options = (settings: ir.Http2Settings = {}) => ({
  ...(settings.maxConcurrentStreams !== undefined && { maxConcurrentStreams: settings.maxConcurrentStreams }),
  ...(settings.initialStreamWindowBytes !== undefined && {
    initialStreamWindowSize: settings.initialStreamWindowBytes,
  }),
  ...(settings.initialConnectionWindowBytes !== undefined && {
    initialConnectionWindowSize: settings.initialConnectionWindowBytes,
  }),
  ...(settings.invalidEndsStream && { overrideStreamErrorOnInvalidHttpMessage: true }),
  ...(settings.keepalive && { connectionKeepalive: http2Keepalive(settings.keepalive) }),
});
