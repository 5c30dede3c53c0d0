import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import {
  CompositeSchema,
  ExecuteFilterActionSchema,
  FilterChainConfigSchema,
  HttpConnectionManagerSchema,
  ListenerSchema,
  type Matcher,
  TypedExtensionConfigSchema,
} from '../../src/envoy/index.ts';

/* What filter chains, and resources with the lists of their slots, say to Envoy. */

/** Filters of a chain, by their names. */
export function filtersOfChain(bytes: Uint8Array) {
  const { typedConfig } = fromBinary(TypedExtensionConfigSchema, bytes);
  const config = typedConfig && anyUnpack(typedConfig, FilterChainConfigSchema);
  return config?.defaultFilterChain?.filters ?? [];
}

/** By filter, the resource that a chain leads to. */
export function ledToBy(chain: Uint8Array): Map<string, string> {
  return new Map(
    filtersOfChain(chain).flatMap(({ name, typedConfig }) => {
      const composite = typedConfig && anyUnpack(typedConfig, CompositeSchema);
      const led = actionOf(composite?.matcher)?.dynamicConfig?.name;
      return led === undefined ? [] : [[name, led] as const];
    }),
  );
}

/** Names of the lists that such a resource has, each with its filters. */
export function listsInResource(bytes: Uint8Array): Record<string, string[]> {
  const { typedConfig } = fromBinary(TypedExtensionConfigSchema, bytes);
  const lists = (typedConfig && anyUnpack(typedConfig, CompositeSchema)?.namedFilterChains) ?? {};
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, list.typedConfig.map((filter) => filter.name)]),
  );
}

/** Names of the resources to which a listener subscribes for the filters of its connection manager. */
export function subscribedBy(bytes: Uint8Array): string[] {
  const { filterChains } = fromBinary(ListenerSchema, bytes);
  return filterChains
    .flatMap(({ filters }) =>
      filters.flatMap(({ configType }) => {
        const manager = configType.case === 'typedConfig' && anyUnpack(configType.value, HttpConnectionManagerSchema);
        return (manager || undefined)?.httpFilters ?? [];
      }),
    )
    .flatMap(({ name, configType }) => (configType.case === 'configDiscovery' ? [name] : []));
}

function actionOf(matcher: Matcher | undefined) {
  const list = matcher?.matcherType.case === 'matcherList' ? matcher.matcherType.value.matchers[0]?.onMatch : undefined;
  const match = (list ?? matcher?.onNoMatch)?.onMatch;
  const action = match?.case === 'action' ? match.value.typedConfig : undefined;
  return action && anyUnpack(action, ExecuteFilterActionSchema);
}
