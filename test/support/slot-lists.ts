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

/** Of the same bytes the same is read once: models ask after each response. */
export function once<T>(read: (bytes: Uint8Array) => T): (bytes: Uint8Array) => T {
  const known = new WeakMap<Uint8Array, T>();
  return (bytes) => {
    const value = known.get(bytes) ?? read(bytes);
    known.set(bytes, value);
    return value;
  };
}

/** Filters of a chain, by their names. */
export const filtersOfChain = once((bytes) => {
  const { typedConfig } = fromBinary(TypedExtensionConfigSchema, bytes);
  const config = typedConfig && anyUnpack(typedConfig, FilterChainConfigSchema);
  return config?.defaultFilterChain?.filters ?? [];
});

/** By filter, the resource that a chain leads to. */
export const ledToBy = once(
  (chain): ReadonlyMap<string, string> =>
    new Map(
      filtersOfChain(chain).flatMap(({ name, typedConfig }) => {
        const composite = typedConfig && anyUnpack(typedConfig, CompositeSchema);
        const led = actionOf(composite?.matcher)?.dynamicConfig?.name;
        return led === undefined ? [] : [[name, led] as const];
      }),
    ),
);

/** Names of the lists that such a resource has, each with its filters. */
export function listsInResource(bytes: Uint8Array): Record<string, string[]> {
  const { typedConfig } = fromBinary(TypedExtensionConfigSchema, bytes);
  const lists = (typedConfig && anyUnpack(typedConfig, CompositeSchema)?.namedFilterChains) ?? {};
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, list.typedConfig.map((filter) => filter.name)]),
  );
}

/** Names of the resources to which a listener subscribes for the filters of its connection manager. */
export const subscribedBy = once((bytes): string[] => {
  const { filterChains } = fromBinary(ListenerSchema, bytes);
  return filterChains
    .flatMap(({ filters }) =>
      filters.flatMap(({ configType }) => {
        const manager = configType.case === 'typedConfig' && anyUnpack(configType.value, HttpConnectionManagerSchema);
        return (manager || undefined)?.httpFilters ?? [];
      }),
    )
    .flatMap(({ name, configType }) => (configType.case === 'configDiscovery' ? [name] : []));
});

function actionOf(matcher: Matcher | undefined) {
  const list = matcher?.matcherType.case === 'matcherList' ? matcher.matcherType.value.matchers[0]?.onMatch : undefined;
  const match = (list ?? matcher?.onNoMatch)?.onMatch;
  const action = match?.case === 'action' ? match.value.typedConfig : undefined;
  return action && anyUnpack(action, ExecuteFilterActionSchema);
}
