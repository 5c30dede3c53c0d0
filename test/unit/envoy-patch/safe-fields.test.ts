import type { DescField, DescMessage } from '@bufbuild/protobuf';
import test from 'ava';
import { patchParts } from '../../../src/envoy-patch/parts.ts';
import type { SafeFields } from '../../../src/envoy-patch/safe/field.ts';

/** What leads elsewhere, reads files, loads extensions, names addresses, or says where secrets are. */
const dangerous =
  /^google\.protobuf\.(Any|Struct|Value)$|\.(TypedExtensionConfig|ExtensionConfigSource|ConfigSource|DataSource|AsyncDataSource|GrpcService|HttpUri|Address|SocketAddress|BindConfig|SocketOption|TransportSocket|SdsSecretConfig|HeaderValueOption|Metadata|EventServiceConfig|RegexMatcher|StringMatcher|HttpFilter|Filter)$/;
const ends = /^google\.protobuf\./;

/** Every field that patches may change, by its path. */
function* reachable(
  schema: DescMessage,
  safe: SafeFields,
  path: string,
): Generator<readonly [path: string, field: DescField]> {
  for (const [name, rule] of Object.entries(safe)) {
    const field = schema.fields.find((each) => each.name === name);
    if (!field) throw new Error(`${path}.${name} is no field of ${schema.typeName}`);
    yield [`${path}.${name}`, field];
    const message = field.message;
    if (rule.kind === 'fields' && message) yield* reachable(message, rule.fields, `${path}.${name}`);
    else if (rule.kind === 'fields') throw new Error(`${path}.${name} is no message`);
    else if (message && !ends.test(message.typeName))
      throw new Error(`all of ${path}.${name} may be patched: list its fields`);
  }
}

for (const [part, { schema, safe }] of Object.entries(patchParts))
  test(`no field of ${part} that may be patched leads elsewhere, reads files or loads extensions`, (t) => {
    for (const [path, field] of reachable(schema, safe, part)) {
      t.notRegex(field.message?.typeName ?? '', dangerous, path);
      t.not(field.fieldKind, 'map', path);
      t.false(field.proto.options?.deprecated ?? false, `${path} is deprecated`);
    }
  });

test('what patches may not touch', (t) => {
  const guarded = {
    cluster: [
      'name',
      'alt_stat_name',
      'type',
      'cluster_type',
      'eds_cluster_config',
      'load_assignment',
      'transport_socket',
      'transport_socket_matches',
      'filters',
      'upstream_bind_config',
      'typed_extension_protocol_options',
      'lrs_server',
      'dns_resolvers',
      'typed_dns_resolver_config',
      'metadata',
      'load_balancing_policy',
      'upstream_config',
    ],
    httpProtocolOptions: [
      'http_filters',
      'upstream_http_protocol_options',
      'header_validation_config',
      'request_mirror_policies',
      'retry_policy',
      'hash_policy',
      'auto_config',
    ],
    routeAction: [
      'cluster',
      'cluster_header',
      'weighted_clusters',
      'cluster_specifier_plugin',
      'inline_cluster_specifier_plugin',
      'metadata_match',
      'prefix_rewrite',
      'regex_rewrite',
      'host_rewrite_literal',
      'host_rewrite_header',
      'auto_host_rewrite',
      'request_mirror_policies',
      'rate_limits',
      'hash_policy',
      'upgrade_configs',
      'internal_redirect_policy',
      'early_data_policy',
      'retry_policy_typed_config',
      // It leaves the limits that a BackendPolicy sets.
      'priority',
    ],
    listener: [
      'name',
      'address',
      'additional_addresses',
      'stat_prefix',
      'stats_matcher',
      'filter_chains',
      'fcds_config',
      'filter_chain_matcher',
      'default_filter_chain',
      'listener_filters',
      'continue_on_listener_filters_timeout',
      'use_original_dst',
      'transparent',
      'freebind',
      'socket_options',
      'udp_listener_config',
      'api_listener',
      'access_log',
      'bind_to_port',
      'internal_listener',
      'ignore_global_conn_limit',
      'bypass_overload_manager',
      'enable_reuse_port',
    ],
    connectionManager: [
      'stat_prefix',
      'rds',
      'route_config',
      'scoped_routes',
      'http_filters',
      'tracing',
      'access_log',
      'access_log_options',
      'use_remote_address',
      'xff_num_trusted_hops',
      'original_ip_detection_extensions',
      'early_header_mutation_extensions',
      'internal_address_config',
      'skip_xff_append',
      'preserve_external_request_id',
      'forward_client_cert_details',
      'set_current_client_cert_details',
      'represent_ipv4_remote_address_as_ipv4_mapped_ipv6',
      'upgrade_configs',
      'normalize_path',
      'merge_slashes',
      'path_with_escaped_slashes_action',
      'path_normalization_options',
      'request_id_extension',
      'local_reply_config',
      'strip_matching_host_port',
      'strip_any_host_port',
      'strip_trailing_host_dot',
      'typed_header_validation_config',
      'scheme_header_transformation',
      'forward_proto_config',
    ],
  } as const;
  for (const [part, names] of Object.entries(guarded)) {
    const { safe, schema } = patchParts[part as keyof typeof patchParts];
    for (const name of names) {
      t.true(
        schema.fields.some((field) => field.name === name),
        `${part}.${name} is there`,
      );
      t.false(Object.hasOwn(safe, name), `${part}.${name}`);
    }
  }
});
