import test from 'ava';
import { patchFaults } from '../../../src/envoy-patch/index.ts';

const long = 'x'.repeat(20_000);
const bad: readonly (readonly [what: string, cluster: unknown, fault: RegExp])[] = [
  ['a list', [], /^cluster must be an object, with fields of envoy\.config\.cluster\.v3\.Cluster$/],
  [
    'a misspelt field',
    { conect_timeout: '1s' },
    /^cluster\.conect_timeout is no field of .*; did you mean "connect_timeout"\?$/,
  ],
  [
    'a name that no field is near',
    { xyz: 1 },
    /^cluster\.xyz is no field of .*: here circuit_breakers, .* may be patched$/,
  ],
  ['a field of every object', { constructor: {} }, /^cluster\.constructor is no field/],
  ['a prototype', JSON.parse('{"__proto__": {"connect_timeout": "1s"}}'), /^cluster\.__proto__ is no field/],
  ['a field of TLS', { transport_socket: { name: 'raw' } }, /^cluster\.transport_socket may not be patched: here /],
  ['the removal of TLS', { transportSocket: null }, /^cluster\.transportSocket may not be patched/],
  ['the removal of what every cluster needs', { name: null }, /^cluster\.name may not be patched/],
  ['another address', { load_assignment: { endpoints: [] } }, /^cluster\.load_assignment may not be patched/],
  ['upstream filters', { filters: [] }, /^cluster\.filters may not be patched/],
  ['an address to connect from', { upstream_bind_config: {} }, /^cluster\.upstream_bind_config may not be patched/],
  [
    'one field in both spellings',
    { connect_timeout: '1s', connectTimeout: '2s' },
    /^cluster\.connectTimeout is written twice/,
  ],
  [
    'a text for a number',
    { circuit_breakers: { thresholds: [{ max_requests: 'many' }] } },
    /^cluster\.circuit_breakers\.thresholds\[0\]\.max_requests: .*number/,
  ],
  [
    'a negative number',
    { outlier_detection: { consecutive_5xx: -1 } },
    /^cluster\.outlier_detection\.consecutive_5xx: .*out of range/,
  ],
  ['a scalar for a message', { outlier_detection: 5 }, /^cluster\.outlier_detection must be an object/],
  [
    'a message for a list',
    { circuit_breakers: { thresholds: {} } },
    /thresholds must be a list of at most 16 members$/,
  ],
  [
    'too many members',
    { circuit_breakers: { thresholds: Array(17).fill({}) } },
    /must be a list of at most 16 members$/,
  ],
  ['null in a list', { circuit_breakers: { thresholds: [null] } }, /thresholds\[0\] must be an object/],
  ['health checks', { health_checks: [] }, /^cluster\.health_checks may not be patched/],
  ['a duration without a unit', { connect_timeout: '1' }, /^cluster\.connect_timeout: /],
  ['no time at all', { connect_timeout: '0s' }, /^cluster\.connect_timeout must be from 0\.001s to 600s$/],
  ['ejections without a pause', { outlier_detection: { interval: '0.000001s' } }, /interval must be from 0\.1s to /],
  ['a buffer of all memory', { per_connection_buffer_limit_bytes: 4_294_967_295 }, /must be from 1024 to 67108864$/],
  ['an enum’s unknown word', { circuit_breakers: { thresholds: [{ priority: 'MIDDLE' }] } }, /priority: /],
  ['more than a patch may be', { alt_stat_name: long }, /^cluster is \d+ characters of JSON long, and may be 16384/],
];
for (const [what, cluster, fault] of bad)
  test(`a patch of a cluster is rejected for ${what}`, (t) => {
    const faults = patchFaults('cluster', cluster);
    t.is(faults.length, 1, faults.join('; '));
    t.regex(faults[0] ?? '', fault);
  });

test('all faults are found at once, and no more than eight are listed', (t) => {
  const names = Array.from({ length: 30 }, (_, index) => [`a${index}`, 1]);
  t.is(patchFaults('cluster', Object.fromEntries(names)).length, 8);
});

test('a patch of protocols may not choose filters, retries, mirrors or the validation of names', (t) => {
  const fields = [
    'http_filters',
    'request_mirror_policies',
    'retry_policy',
    'upstream_http_protocol_options',
    'auto_config',
  ];
  for (const field of fields)
    t.regex(patchFaults('httpProtocolOptions', { [field]: null })[0] ?? '', /may not be patched/, field);
  const smuggling = { explicit_http_config: { http_protocol_options: { allow_chunked_length: true } } };
  t.regex(patchFaults('httpProtocolOptions', smuggling)[0] ?? '', /allow_chunked_length may not be patched/);
});
