import { create, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import test from 'ava';
import { ClusterHttpProtocolOptionsSchema, ClusterSchema } from '../../../src/envoy/index.ts';
import { mergePatch, patchFaults } from '../../../src/envoy-patch/index.ts';

function patched(of: MessageInitShape<typeof ClusterSchema>, patch: object): unknown {
  const cluster = create(ClusterSchema, of);
  mergePatch('cluster', cluster, patch);
  return toJson(ClusterSchema, cluster);
}

test('objects are merged, lists and values replace, and null takes away', (t) => {
  const base: MessageInitShape<typeof ClusterSchema> = {
    name: 'web',
    connectTimeout: { seconds: 5n },
    outlierDetection: { interval: { seconds: 3n }, consecutive5xx: 4 },
    circuitBreakers: { thresholds: [{ maxRequests: 1 }, { maxRequests: 2 }] },
  };
  const patch = {
    connect_timeout: null,
    outlierDetection: { interval: '1.5s', max_ejection_percent: 20 },
    circuit_breakers: { thresholds: [{ maxConnections: 7 }] },
    preconnect_policy: { per_upstream_preconnect_ratio: 1.5 },
  };
  t.deepEqual(patchFaults('cluster', patch), []);
  t.deepEqual(patched(base, patch), {
    name: 'web',
    outlierDetection: { interval: '1.500s', consecutive5xx: 4, maxEjectionPercent: 20 },
    circuitBreakers: { thresholds: [{ maxConnections: 7 }] },
    preconnectPolicy: { perUpstreamPreconnectRatio: 1.5 },
  });
});

test('an empty patch changes nothing', (t) => {
  t.deepEqual(patched({ name: 'web' }, {}), { name: 'web' });
});

test('of alternatives the one that stands is merged', (t) => {
  const options = create(ClusterHttpProtocolOptionsSchema, {
    upstreamProtocolOptions: {
      case: 'explicitHttpConfig',
      value: { protocolConfig: { case: 'httpProtocolOptions', value: { enableTrailers: true } } },
    },
  });
  const patch = {
    explicit_http_config: {
      http_protocol_options: { header_key_format: { proper_case_words: {} } },
      http2_protocol_options: { max_concurrent_streams: 5 },
    },
    use_downstream_protocol_config: { http_protocol_options: { accept_http_10: true } },
  };
  t.deepEqual(patchFaults('httpProtocolOptions', patch), []);
  mergePatch('httpProtocolOptions', options, patch);
  t.deepEqual(toJson(ClusterHttpProtocolOptionsSchema, options), {
    explicitHttpConfig: { httpProtocolOptions: { enableTrailers: true, headerKeyFormat: { properCaseWords: {} } } },
  });
});

test('a patch cannot choose another version of HTTP by taking away the one that stands', (t) => {
  const options = create(ClusterHttpProtocolOptionsSchema, {
    upstreamProtocolOptions: {
      case: 'explicitHttpConfig',
      value: { protocolConfig: { case: 'httpProtocolOptions', value: {} } },
    },
  });
  for (const patch of [
    { explicit_http_config: null },
    { explicit_http_config: { http_protocol_options: null } },
    { explicit_http_config: { http_protocol_options: null, http2_protocol_options: {} } },
  ])
    t.not(patchFaults('httpProtocolOptions', patch).length, 0, JSON.stringify(patch));
  t.truthy(options.upstreamProtocolOptions.value);
});
