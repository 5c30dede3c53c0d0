import { create, fromBinary, fromJson, type JsonObject, toBinary, toJson } from '@bufbuild/protobuf';
import { anyUnpack, timestampFromDate } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import {
  AggregatedDiscoveryService,
  ClusterHttpProtocolOptionsSchema,
  HealthStatus,
  HttpConnectionManagerSchema,
  type Listener,
  ListenerSchema,
  MetadataSchema,
  packAny,
  RouterSchema,
  registry,
  SnapshotSchema,
  typeUrls,
} from '../../../src/envoy/index.ts';

const listener = (): Listener =>
  create(ListenerSchema, {
    name: 'http',
    filterChains: [{ filters: [{ name: 'hcm', configType: { case: 'typedConfig', value: connectionManager() } }] }],
  });

const connectionManager = () =>
  packAny(
    HttpConnectionManagerSchema,
    create(HttpConnectionManagerSchema, {
      statPrefix: 'http',
      streamIdleTimeout: { seconds: 3n },
      httpFilters: [
        { name: 'router', configType: { case: 'typedConfig', value: packAny(RouterSchema, create(RouterSchema)) } },
      ],
    }),
  );

test('bytes and JSON lead back to the same message', (t) => {
  const message = listener();
  t.deepEqual(fromBinary(ListenerSchema, toBinary(ListenerSchema, message)), message);
  t.deepEqual(fromJson(ListenerSchema, toJson(ListenerSchema, message, { registry }), { registry }), message);
});

test('wrapped numbers and free-form structs are plain values', (t) => {
  const limited = create(ListenerSchema, { perConnectionBufferLimitBytes: 5, metadata: metadataOf({ a: [1, 'x'] }) });
  const read = fromBinary(ListenerSchema, toBinary(ListenerSchema, limited));
  t.is(read.perConnectionBufferLimitBytes, 5);
  t.deepEqual(read.metadata?.filterMetadata, { gatewright: { a: [1, 'x'] } });
});

const metadataOf = (content: JsonObject) => create(MetadataSchema, { filterMetadata: { gatewright: content } });

test("JSON is Envoy's own, extensions included", (t) => {
  t.deepEqual(toJson(ListenerSchema, listener(), { registry, useProtoFieldName: true }), {
    name: 'http',
    filter_chains: [
      {
        filters: [
          {
            name: 'hcm',
            typed_config: {
              '@type':
                'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
              stat_prefix: 'http',
              stream_idle_timeout: '3s',
              http_filters: [
                {
                  name: 'router',
                  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
                },
              ],
            },
          },
        ],
      },
    ],
  });
});

test('an Any gives back what was packed', (t) => {
  const packed = packAny(RouterSchema, create(RouterSchema, { suppressEnvoyHeaders: true }));
  t.true(anyUnpack(packed, RouterSchema)?.suppressEnvoyHeaders);
});

test('every type URL is that of a type we have', (t) => {
  for (const url of Object.values(typeUrls))
    t.truthy(registry.getMessage(url.replace('type.googleapis.com/', '')), url);
});

test('enums, services, aliases and our own type are there', (t) => {
  t.is(HealthStatus.HEALTHY, 1);
  t.is(AggregatedDiscoveryService.method.deltaAggregatedResources.methodKind, 'bidi_streaming');
  t.is(ClusterHttpProtocolOptionsSchema.typeName, 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions');
  const generatedAt = timestampFromDate(new Date('2026-01-02T03:04:05Z'));
  const snapshot = create(SnapshotSchema, { id: 'a', generatedAt, routes: 2n });
  t.deepEqual(toJson(SnapshotSchema, snapshot), { id: 'a', generatedAt: '2026-01-02T03:04:05Z', routes: '2' });
});
