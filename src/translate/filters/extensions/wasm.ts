import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Any, StringValueSchema } from '@bufbuild/protobuf/wkt';
import { moduleFile } from '../../../contracts/index.ts';
import {
  FailurePolicy,
  HeaderMutationFilterSchema,
  type HeaderMutationSchema,
  packAny,
  WasmSchema,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import type { FilterList, SlotContent } from '../slot.ts';
import { changesProtocol } from '../traffic/changes-protocol.ts';
import { requestBefore } from './kept.ts';

/** What Envoy calls of a module. */
const callbacks = [
  'proxy_on_vm_start',
  'proxy_validate_configuration',
  'proxy_on_configure',
  'proxy_on_context_create',
  'proxy_on_tick',
  'proxy_on_request_headers',
  'proxy_on_request_body',
  'proxy_on_request_trailers',
  'proxy_on_request_metadata',
  'proxy_on_response_headers',
  'proxy_on_response_body',
  'proxy_on_response_trailers',
  'proxy_on_response_metadata',
  'proxy_on_done',
  'proxy_on_log',
  'proxy_on_delete',
];

/**
 * What a module calls of Envoy. Not: calls to other clusters, functions that Envoy adds of its own, data that modules share, metrics without end, and
 * properties, by which it could read what other filters keep of a request.
 */
const functions = [
  'proxy_log',
  'proxy_get_log_level',
  'proxy_get_current_time_nanoseconds',
  'proxy_set_tick_period_milliseconds',
  'proxy_set_effective_context',
  'proxy_done',
  'proxy_get_status',
  'proxy_get_header_map_pairs',
  'proxy_set_header_map_pairs',
  'proxy_get_header_map_value',
  'proxy_add_header_map_value',
  'proxy_replace_header_map_value',
  'proxy_remove_header_map_value',
  'proxy_get_header_map_size',
  'proxy_get_buffer_status',
  'proxy_get_buffer_bytes',
  'proxy_set_buffer_bytes',
  'proxy_continue_stream',
  'proxy_close_stream',
  'proxy_send_local_response',
];

/** Of WASI, what the run times of languages need: a clock, random numbers, output to the log. Envoy has no files for modules. */
const wasi = [
  'args_get',
  'args_sizes_get',
  'clock_res_get',
  'clock_time_get',
  'environ_get',
  'environ_sizes_get',
  'fd_close',
  'fd_fdstat_get',
  'fd_fdstat_set_flags',
  'fd_prestat_dir_name',
  'fd_prestat_get',
  'fd_read',
  'fd_seek',
  'fd_write',
  'path_filestat_get',
  'path_open',
  'poll_oneoff',
  'proc_exit',
  'random_get',
  'sched_yield',
];

const allowedCapabilities = Object.fromEntries([...callbacks, ...functions, ...wasi].map((name) => [name, {}]));

type Mutation = MessageInitShape<typeof HeaderMutationSchema>;

const without = (...names: readonly string[]): Mutation[] =>
  names.map((value) => ({ action: { case: 'remove' as const, value } }));

const mutations = (requestMutations: Mutation[], responseMutations: Mutation[]): Any =>
  packAny(
    HeaderMutationFilterSchema,
    create(HeaderMutationFilterSchema, { mutations: { requestMutations, responseMutations } }),
  );

/**
 * Behind a module that may change a body there is no length of it, which could say that a body ends where another request begins. Answers meet these filters
 * in the opposite order. Connections that change their protocol say so by headers, which others may not have.
 */
const framing = mutations(
  without('content-length'),
  without('content-length', 'transfer-encoding', 'connection', 'upgrade'),
);
const framingOfOthers = mutations([], without('content-length', 'transfer-encoding'));

/** Envoy's filter for a user's module. It may wait, so it is the last one. */
export function wasm(module: ir.Module): SlotContent {
  const filter = { name: 'module', typedConfig: plugin(module) };
  const listOf = (lengths: Any): FilterList => ({
    filters: [{ name: 'framing', typedConfig: lengths }, { name: 'before', typedConfig: requestBefore }, filter],
  });
  return {
    choices: [{ predicate: changesProtocol, filter: listOf(framingOfOthers) }],
    otherwise: listOf(framing),
  };
}

const plugin = ({ digest, owner, rootId, configuration, failOpen }: ir.Module): Any =>
  packAny(
    WasmSchema,
    create(WasmSchema, {
      config: {
        name: owner,
        rootId,
        vm: {
          case: 'vmConfig',
          value: {
            // Modules with another one share no memory, nor does one that fails end another.
            vmId: owner,
            runtime: 'envoy.wasm.runtime.v8',
            code: {
              specifier: {
                case: 'local',
                value: { specifier: { case: 'filename', value: moduleFile(digest) } },
              },
            },
          },
        },
        ...(configuration !== '' && {
          configuration: packAny(StringValueSchema, create(StringValueSchema, { value: configuration })),
        }),
        // A module that has failed starts again, and until then no request passes it. One that may be missing stays away.
        failurePolicy: failOpen ? FailurePolicy.FAIL_OPEN : FailurePolicy.FAIL_RELOAD,
        capabilityRestrictionConfig: { allowedCapabilities },
      },
    }),
  );
