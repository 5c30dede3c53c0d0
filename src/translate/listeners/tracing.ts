import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type HttpConnectionManager_TracingSchema, OpenTelemetryConfigSchema, packAny } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { otlpReceiver } from './otlp.ts';

/** Spans by OTLP. Of requests whose client has decided, the client's word counts. */
export function tracing({
  receiver,
  samplingPercent,
  serviceName,
  requestHeaders,
}: ir.Tracing): MessageInitShape<typeof HttpConnectionManager_TracingSchema> {
  const provider = create(OpenTelemetryConfigSchema, { grpcService: otlpReceiver(receiver), serviceName });
  return {
    randomSampling: { value: samplingPercent },
    spawnUpstreamSpan: true,
    customTags: requestHeaders.map((name) => ({
      tag: `http.request.header.${name.toLowerCase()}`,
      type: { case: 'requestHeader' as const, value: { name } },
    })),
    provider: {
      name: 'envoy.tracers.opentelemetry',
      configType: { case: 'typedConfig', value: packAny(OpenTelemetryConfigSchema, provider) },
    },
  };
}
