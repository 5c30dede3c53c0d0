import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { anyIs } from '@bufbuild/protobuf/wkt';
import {
  HttpConnectionManagerSchema,
  HttpFilterSchema,
  type Listener,
  ListenerSchema,
  packAny,
  RouteConfigurationSchema,
  typeUrls,
} from '../../envoy/index.ts';
import { bytesOfText } from '../../std/memory/index.ts';
import { type EnvoyResource, encodedResource, routerFilter } from '../resource/index.ts';

/**
 * A port as it is tried: without logs, filters and routes, which no patch is for. Some of them would end Envoy where it only reads a configuration, as it has
 * neither workers nor connections there.
 */
export function listenerOnTrial({ name, body }: EnvoyResource): EnvoyResource {
  const listener = fromBinary(ListenerSchema, bytesOfText(body));
  listener.accessLog = [];
  for (const chain of listener.filterChains) {
    for (const { configType } of chain.filters)
      if (isManager(configType)) configType.value = bareManager(configType.value.value);
    chain.filters = chain.filters.filter(({ configType }) => isManager(configType));
  }
  return encodedResource(typeUrls.listener, name, toBinary(ListenerSchema, listener));
}

type NetworkConfig = Listener['filterChains'][number]['filters'][number]['configType'];

const isManager = (type: NetworkConfig): type is Extract<NetworkConfig, { case: 'typedConfig' }> =>
  type.case === 'typedConfig' && anyIs(type.value, HttpConnectionManagerSchema);

function bareManager(bytes: Uint8Array) {
  const manager = fromBinary(HttpConnectionManagerSchema, bytes);
  manager.accessLog = [];
  manager.tracing = undefined;
  manager.earlyHeaderMutationExtensions = [];
  manager.routeSpecifier = { case: 'routeConfig', value: create(RouteConfigurationSchema, { name: 'trial' }) };
  manager.httpFilters = [create(HttpFilterSchema, routerFilter())];
  return packAny(HttpConnectionManagerSchema, manager);
}
