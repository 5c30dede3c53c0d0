import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  DatadogConfigSchema,
  type HttpConnectionManager_TracingSchema,
  OpenTelemetryConfigSchema,
  packAny,
  ZipkinConfig_CollectorEndpointVersion as ZipkinApi,
  ZipkinConfigSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { clusterName, customTag, spanNameFormat } from '../resource/index.ts';
import { otlpReceiver } from './otlp.ts';

type Tracing = Extract<MessageInitShape<typeof HttpConnectionManager_TracingSchema>, { readonly $typeName?: never }>;
type CustomTag = NonNullable<Tracing['customTags']>[number];
type Provider = NonNullable<Tracing['provider']>;

/** A client that decided against a span has none by OTLP. Envoy draws the share of all others, also of those that decided for one. */
export function tracing(settings: ir.Tracing): Tracing {
  const { samplingPercent, requestHeaders, tags = [], spanName } = settings;
  return {
    randomSampling: { value: samplingPercent },
    spawnUpstreamSpan: true,
    customTags: [...requestHeaders.map(headerTag), ...tags.map(customTag)],
    ...(spanName !== undefined && { operation: spanNameFormat(spanName) }),
    provider: providerOf(settings),
  };
}

const headerTag = (name: string): CustomTag => ({
  tag: `http.request.header.${name.toLowerCase()}`,
  type: { case: 'requestHeader', value: { name } },
});

function providerOf({ by, receiver, serviceName }: ir.Tracing): Provider {
  const { backend, authority } = receiver;
  switch (by?.kind) {
    case undefined: {
      const config = create(OpenTelemetryConfigSchema, { grpcService: otlpReceiver(receiver), serviceName });
      return provider('envoy.tracers.opentelemetry', packAny(OpenTelemetryConfigSchema, config));
    }
    // The service is the proxy's own name, `node.cluster`: Envoy has no field for another one.
    case 'zipkin': {
      const config = create(ZipkinConfigSchema, {
        collectorCluster: clusterName(backend),
        collectorEndpoint: by.path,
        collectorHostname: authority,
        collectorEndpointVersion: ZipkinApi.HTTP_JSON,
        traceId128bit: true,
      });
      return provider('envoy.tracers.zipkin', packAny(ZipkinConfigSchema, config));
    }
    case 'datadog': {
      const config = create(DatadogConfigSchema, {
        collectorCluster: clusterName(backend),
        collectorHostname: authority,
        serviceName,
      });
      return provider('envoy.tracers.datadog', packAny(DatadogConfigSchema, config));
    }
  }
}

const provider = (name: string, value: ReturnType<typeof packAny>): Provider => ({
  name,
  configType: { case: 'typedConfig', value },
});
